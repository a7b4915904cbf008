import type { Json, JournalEvent } from '@homeward/contract/agent-platform'
import type { ReactNode } from 'react'
import { Link } from 'react-aria-components'
import { CodeBlock } from '../../components/text/code-block.tsx'
import { Disclosure } from '../../components/layout/disclosure.tsx'
import { formatTime } from '../../components/text/relative-time.tsx'
import { linkOfField } from './link-of-field.ts'

/** Everything that the journal holds about an event; what has parts is folded. */
export function EventDetails({ event }: { readonly event: JournalEvent }) {
  const { seq, type, timestamp, run_id: runId, data } = event
  return (
    <div className="stack" data-gap="small">
      <dl className="log-facts">
        <Fact name="Kind">{type}</Fact>
        <Fact name="Time">{formatTime(timestamp)}</Fact>
        <Fact name="Number">{seq}</Fact>
        {runId !== undefined && (
          <Fact name="Run">
            <Link href={`/runs/${encodeURIComponent(runId)}`}>{runId}</Link>
          </Fact>
        )}
        {Object.entries(data)
          .filter(([, value]) => !hasParts(value))
          .map(([name, value]) => (
            <Fact key={name} name={name}>
              <Value name={name} value={value} />
            </Fact>
          ))}
      </dl>
      {Object.entries(data)
        .filter(([, value]) => hasParts(value))
        .map(([name, value]) => (
          <Disclosure key={name} title={name}>
            <CodeBlock label={name} code={JSON.stringify(value, undefined, 2)} isWrapped />
          </Disclosure>
        ))}
      <Disclosure title="The event as JSON">
        <CodeBlock label="the event" code={JSON.stringify(event, undefined, 2)} isWrapped />
      </Disclosure>
    </div>
  )
}

const hasParts = (value: Json) => typeof value === 'object' && value !== null

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div>
      <dt className="foreign">{name}</dt>
      <dd className="foreign">{children}</dd>
    </div>
  )
}

function Value({ name, value }: { readonly name: string; readonly value: Json }) {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const href = typeof value === 'string' ? linkOfField(name, value) : undefined
  return href === undefined ? <>{text}</> : <Link href={href}>{text}</Link>
}

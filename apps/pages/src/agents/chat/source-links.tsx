import type { Source } from '@homeward/contract/agent-platform'
import { useId } from 'react'
import { Link } from 'react-aria-components'
import { Disclosure } from '../../components/layout/disclosure.tsx'

const mostUnfolded = 4

/** Pages that an answer rests on, as links that open beside the chat; folded where they are many. */
export function SourceLinks({ sources }: { readonly sources: readonly Source[] }) {
  if (sources.length <= mostUnfolded) return <SourceList sources={sources} />
  return (
    <div className="chat-call">
      <Disclosure title={`${sources.length} sources`}>
        <SourceList sources={sources} />
      </Disclosure>
    </div>
  )
}

function SourceList({ sources }: { readonly sources: readonly Source[] }) {
  const id = useId()
  return (
    <div className="chat-sources small">
      <h3 id={id}>Sources</h3>
      <ul aria-labelledby={id}>
        {sources.map(({ url, title }) => (
          <li key={url}>
            <Link href={url} target="_blank" rel="noreferrer" className="foreign">
              {title ?? hostOf(url)}
            </Link>
            {title !== undefined && <span className="muted"> {hostOf(url)}</span>}
          </li>
        ))}
      </ul>
    </div>
  )
}

const hostOf = (url: string) => URL.parse(url)?.hostname ?? url

import { CircleAlert, CircleCheck, CircleMinus, LoaderCircle } from 'lucide-react'
import { Link } from 'react-aria-components'
import { Disclosure } from '../components/layout/disclosure.tsx'
import { filesOfResult } from './files/chat-file.ts'
import { MessageFiles } from './files/message-files.tsx'
import { decisionText } from './approval-view.tsx'
import { LongText } from './answer-text.tsx'
import { formatDuration, toShownText } from '../components/text/to-shown-text.ts'
import type { ToolPart } from '@homeward/contract/runs'
import type { TraceStep } from '@homeward/contract/agent-platform'

/** How a call stands, in a word. */
type CallState = 'running' | 'done' | 'failed' | 'denied' | 'not finished'

const icons = {
  running: LoaderCircle,
  done: CircleCheck,
  failed: CircleAlert,
  denied: CircleMinus,
  'not finished': CircleMinus,
} as const

/** What a {@link ToolCallView} takes. */
interface ToolCallViewProps {
  readonly part: ToolPart
  /** Whether its run goes on. */
  readonly isLive: boolean
  readonly durationMs: number | undefined
  readonly runId: string | undefined
}

/** A tool call: one line, and folded behind it what it was asked and what came of it. */
export function ToolCallView({ part, isLive, durationMs, runId }: ToolCallViewProps) {
  const { name, args, result, error, decision, progress } = part
  const state = stateOf(part, isLive)
  const Icon = icons[state]
  const title = (
    <span className="chat-call-title" data-state={state}>
      <Icon aria-hidden className={state === 'running' ? 'spinner' : ''} />
      <span className="mono truncate">{name}</span>
      <span className="muted small chat-call-state">
        {state}
        {durationMs !== undefined && part.state !== 'running' && ` · ${formatDuration(durationMs)}`}
      </span>
      {state === 'running' && progress !== undefined && (
        <span className="muted small truncate foreign">{progress}</span>
      )}
    </span>
  )
  return (
    <div className="chat-call" data-state={state}>
      <Disclosure title={title}>
        <div className="stack" data-gap="small">
          {args !== null && <LongText text={toShownText(args)} label={`Arguments of ${name}`} />}
          {decision && decision.status !== 'pending' && (
            <p className="small foreign">{decisionText(decision)}</p>
          )}
          {error !== undefined && <p className="chat-call-error foreign">{error}</p>}
          {result !== undefined && <LongText text={toShownText(result)} label={`Result of ${name}`} />}
          <MessageFiles label={`Files of ${name}`} files={filesOfResult(result)} />
          {name === 'run_agent' && runId !== undefined && (
            <Link href={`/runs/${encodeURIComponent(runId)}`}>See the runs of this call</Link>
          )}
        </div>
      </Disclosure>
    </div>
  )
}

function stateOf({ state, decision }: ToolPart, isLive: boolean): CallState {
  if (state === 'running') return isLive ? 'running' : 'not finished'
  return decision?.status === 'denied' ? 'denied' : state
}

const longestId = 200

/** The search on devices that a tool call started or read; undefined for any other call. */
export function searchOf({ type, input, output }: TraceStep): string | undefined {
  return type === 'tool' ? searchIn(output, input) : undefined
}

/** The search that the result or the arguments of a tool call name, in this order. */
export function searchIn(result: unknown, args: unknown): string | undefined {
  return findId(result) ?? findId(args)
}

/** Page of a search, with its whole group. */
export const hrefOfSearch = (id: string): string => `/searches/${encodeURIComponent(id)}?group`

/** `queryId`, at any of the places where the tools for devices have it. */
function findId(value: unknown, depth = 0): string | undefined {
  if (typeof value !== 'object' || value === null || depth > 4) return undefined
  const id: unknown = Reflect.get(value, 'queryId')
  if (typeof id === 'string' && id !== '' && id.length <= longestId) return id
  for (const inner of Object.values(value).slice(0, 50)) {
    const found = findId(inner, depth + 1)
    if (found !== undefined) return found
  }
  return undefined
}

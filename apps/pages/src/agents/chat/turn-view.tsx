import { memo } from 'react'
import { AnswerText } from './answer-text.tsx'
import { ApprovalView } from './approval-view.tsx'
import { MessageFiles } from './files/message-files.tsx'
import { ReasoningView } from './reasoning-view.tsx'
import { SearchLinks } from './search-links.tsx'
import { SourceLinks } from './source-links.tsx'
import { ToolCallView } from './tool-call-view.tsx'
import { TurnActions } from './turn-actions.tsx'
import { TurnEnd } from './turn-end.tsx'
import { TurnTask } from './turn-task.tsx'
import { keysOf, type ToolPart, type Turn, type TurnPart } from './turn.ts'
import { type CallDuration, useCallDurations } from './use-call-durations.ts'

/** What a {@link TurnView} takes. */
export interface TurnViewProps {
  readonly turn: Turn
  readonly agentId: string
  readonly agentName: string
}

/** One turn: what was asked, what the agent did, and what it said. */
export const TurnView = memo(function TurnView({ turn, agentId, agentName }: TurnViewProps) {
  const { task, files, parts, status, retry } = turn
  const isLive = status === 'running' || status === 'waiting'
  return (
    <article className="chat-turn" aria-label={task === undefined ? agentName : `You: ${task.slice(0, 80)}`}>
      {task !== undefined && <TurnTask turn={turn} task={task} />}
      {files !== undefined && <MessageFiles label="Your files" files={files} />}
      <div className="chat-answer" role="group" aria-label={agentName} aria-busy={status === 'running'}>
        <TurnParts turn={turn} isLive={isLive} />
        {status === 'running' && (retry || parts.at(-1)?.kind !== 'text') && (
          <p className="chat-thinking muted">
            <span aria-hidden /> {retry ? toRetryText(retry) : `${agentName} is working …`}
          </p>
        )}
        {turn.sources && <SourceLinks sources={turn.sources} />}
        {!isLive && <SearchLinks parts={parts} />}
        <TurnEnd turn={turn} agentId={agentId} />
        <TurnActions turn={turn} />
      </div>
    </article>
  )
})

/** What is shown while a model call is made again. */
function toRetryText({ model, reason, in_ms }: NonNullable<Turn['retry']>): string {
  const how = in_ms > 0 ? `in ${Math.ceil(in_ms / 1000)} s` : `with ${model}`
  return `Trying again ${how}: ${reason}`
}

function TurnParts({ turn, isLive }: { readonly turn: Turn; readonly isLive: boolean }) {
  const calls = turn.parts.filter((part): part is ToolPart => part.kind === 'tool')
  const hasEnded = calls.some(({ isDone }) => isDone)
  const durations = useCallDurations(turn.runId, hasEnded)
  const times = matchDurations(calls, durations)
  const keys = keysOf(turn.parts)
  return turn.parts.map((part, index) => (
    <PartView
      key={keys[index]}
      part={part}
      isLive={isLive}
      runId={turn.runId}
      durationMs={part.kind === 'tool' ? times.get(part) : undefined}
    />
  ))
}

interface PartViewProps {
  readonly part: TurnPart
  readonly isLive: boolean
  readonly runId: string | undefined
  readonly durationMs: number | undefined
}

function PartView({ part, ...rest }: PartViewProps) {
  if (part.kind === 'text') return <AnswerText text={part.text} />
  if (part.kind === 'file') return <MessageFiles label="File of the agent" files={[part.file]} />
  if (part.kind === 'approval') return <ApprovalView part={part} />
  if (part.kind === 'reasoning') return <ReasoningView text={part.text} />
  return <ToolCallView part={part} {...rest} />
}

/** Ids of calls may come again in a run: the first duration of an id belongs to its first call. */
function matchDurations(
  calls: readonly ToolPart[],
  durations: readonly CallDuration[],
): Map<ToolPart, number> {
  const open = [...durations]
  const times = new Map<ToolPart, number>()
  for (const call of calls) {
    const index = open.findIndex(({ callId }) => callId === call.callId)
    const [found] = index < 0 ? [] : open.splice(index, 1)
    if (found) times.set(call, found.ms)
  }
  return times
}

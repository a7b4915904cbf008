import { TurnActions, type TurnActionsProps } from './turn-actions.tsx'
import { memo, use, useId, useState } from 'react'
import { AnswerText, LongText } from './answer-text.tsx'
import { ApprovalView } from './approval-view.tsx'
import { OpenWaits } from './wait-view.tsx'
import { MessageFiles } from './files/message-files.tsx'
import { ToolCallView, hrefOfSearch, searchIn } from './tool-call-view.tsx'
import type { ToolPart, Turn, TurnPart } from '@homeward/contract/runs'
import { keysOf } from './turn.ts'
import { Search, Brain, CircleAlert, TriangleAlert, Pencil } from 'lucide-react'
import { LinkButton } from '../components/buttons/link-button.tsx'
import { Disclosure } from '../components/layout/disclosure.tsx'
import { IconButton } from '../components/buttons/icon-button.tsx'
import { ChatActionsOfThread } from './use-chat-actions.ts'
import type { JournalEvent, AnswerSource, StopReason } from '@homeward/contract/agent-platform'
import { useQueryClient } from '@tanstack/react-query'
import { useLiveEvents } from '../api/live.ts'
import { usePlatformQuery } from '../api/platform.ts'
import { useIsLimited } from '../api/server-facts.ts'
import { refresh } from '../api/refresh.ts'
import { Link } from 'react-aria-components'
import { adviseOn } from './failure-advice.ts'
import { formatCount } from '../components/text/to-shown-text.ts'
import { Button } from '../components/buttons/button.tsx'
import { SubmitForm } from '../components/fields/submit-form.tsx'
import { TextArea } from '../components/fields/text-area.tsx'

/** What a {@link TurnView} takes. */
interface TurnViewProps extends TurnActionsProps {
  readonly agentId: string
  readonly agentName: string
  /** The turn with the question, where this one answers it again. @default the turn itself */
  readonly question?: Turn
}

/** One turn: what was asked, what the agent did, and what it said. */
export const TurnView = memo(function TurnView(props: TurnViewProps) {
  const { turn, agentId, agentName, question = turn } = props
  const { parts, status, retry } = turn
  const { task, files } = question
  const isLive = status === 'running' || status === 'waiting'
  return (
    <article className="chat-turn" aria-label={task === undefined ? agentName : `You: ${task.slice(0, 80)}`}>
      {task !== undefined && <TurnTask turn={question} task={task} />}
      {files !== undefined && <MessageFiles label="Your files" files={files} />}
      <div className="chat-answer" role="group" aria-label={agentName} aria-busy={status === 'running'}>
        <TurnParts turn={turn} isLive={isLive} />
        {status === 'running' && (retry || parts.at(-1)?.kind !== 'text') && (
          <p className="chat-thinking muted">
            <span aria-hidden /> {retry ? toRetryText(retry) : `${agentName} is working …`}
          </p>
        )}
        {status === 'waiting' && turn.runId !== undefined && <OpenWaits runId={turn.runId} />}
        {turn.sources.length > 0 && <SourceLinks sources={turn.sources} />}
        {!isLive && <SearchLinks parts={parts} />}
        <TurnEnd turn={turn} agentId={agentId} />
        <TurnActions {...props} />
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
  const hasEnded = calls.some(({ state }) => state !== 'running')
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

/** The searches on devices that an answer rests on: there are their files, to open and to download. */
function SearchLinks({ parts }: { readonly parts: readonly TurnPart[] }) {
  const found = parts.map((part) => (part.kind === 'tool' ? searchIn(part.result, part.args) : undefined))
  const ids = [...new Set(found)].filter((id) => id !== undefined)
  if (ids.length === 0) return null
  return (
    <div className="row" role="group" aria-label="Searches of this answer">
      {ids.map((id) => (
        <LinkButton key={id} href={hrefOfSearch(id)} icon={<Search aria-hidden />}>
          Search and its files
        </LinkButton>
      ))}
    </div>
  )
}

/** More than that would hold the page up. */
const mostShown = 50_000

/** What the model thinks, folded until somebody wants to read it. */
function ReasoningView({ text }: { readonly text: string }) {
  const title = (
    <span className="chat-call-title">
      <Brain aria-hidden />
      <span className="muted">Reasoning</span>
    </span>
  )
  return (
    <div className="chat-call">
      <Disclosure title={title}>
        <p className="chat-reasoning muted small foreign" dir="auto">
          {text.length > mostShown ? `…${text.slice(-mostShown)}` : text}
        </p>
      </Disclosure>
    </div>
  )
}

const types = 'tool.completed'

/**
 * How long the tool calls of a run took, in their order, by the journal: the stream of a run has no times.
 *
 * @param hasCalls whether any has ended.
 */
function useCallDurations(runId: string | undefined, hasCalls: boolean): readonly CallDuration[] {
  const queries = useQueryClient()
  const input = { query: { run_id: runId ?? '', types, since: '0', limit: '1000' } }
  const isLimited = useIsLimited() // the journal is for administrators
  const isEnabled = runId !== undefined && hasCalls && !isLimited
  const logs = usePlatformQuery('listLogs', input, { enabled: isEnabled })
  // The journal is written with the step, a moment behind the stream.
  useLiveEvents({ types: [types] }, (event) => {
    if (event.run_id === runId) void refresh(queries, { queryKey: ['listLogs', input] })
  })
  return (logs.data?.events ?? []).flatMap(toDuration)
}

/** How long one call took. */
interface CallDuration {
  readonly callId: string
  readonly ms: number
}

function toDuration({ data }: JournalEvent): CallDuration[] {
  const { call_id: callId, duration_ms: ms } = data
  return typeof callId === 'string' && typeof ms === 'number' ? [{ callId, ms }] : []
}

const mostUnfolded = 4

/** Pages that an answer rests on, as links that open beside the chat; folded where they are many. */
function SourceLinks({ sources }: { readonly sources: readonly AnswerSource[] }) {
  if (sources.length <= mostUnfolded) return <SourceList sources={sources} />
  return (
    <div className="chat-call">
      <Disclosure title={`${sources.length} sources`}>
        <SourceList sources={sources} />
      </Disclosure>
    </div>
  )
}

function SourceList({ sources }: { readonly sources: readonly AnswerSource[] }) {
  const id = useId()
  return (
    <div className="chat-sources small">
      <h3 id={id}>Sources</h3>
      <ul aria-labelledby={id}>
        {sources.map((source) =>
          'url' in source ? (
            <li key={source.url}>
              <Link href={source.url} target="_blank" rel="noreferrer" className="foreign">
                {source.title ?? hostOf(source.url)}
              </Link>
              {source.title !== undefined && <span className="muted"> {hostOf(source.url)}</span>}
            </li>
          ) : (
            <li key={`${source.document_id} ${source.page ?? ''} ${source.quote}`} title={source.quote}>
              <span className="foreign">{source.name}</span>
              {source.page !== undefined && <span className="muted"> page {source.page}</span>}
            </li>
          ),
        )}
      </ul>
    </div>
  )
}

const hostOf = (url: string) => URL.parse(url)?.hostname ?? url

/** What an end that is no answer means. */
const endings: Partial<Record<StopReason, string>> = {
  max_turns: 'Stopped: the run has used all its turns.',
  max_tokens: 'Stopped: the run has reached its limit of output tokens.',
  max_runtime: 'Stopped: the run has reached its time limit.',
}

/** What stands below a turn: how it ended, what it used, and where to see all of it. */
function TurnEnd({ turn, agentId }: { readonly turn: Turn; readonly agentId: string }) {
  const { status, failure, stopReason, usage, runId, warnings } = turn
  const ending = stopReason === undefined ? undefined : endings[stopReason]
  return (
    <>
      {status === 'cancelled' && (
        <p className="chat-note">You stopped the run. Its results so far are kept.</p>
      )}
      {status === 'failed' && failure && <FailureView failure={failure} agentId={agentId} />}
      {ending !== undefined && failure === undefined && <p className="chat-note">{ending}</p>}
      {warnings.map((warning) => (
        <p key={warning} className="chat-note foreign">
          <TriangleAlert aria-hidden /> {warning}
        </p>
      ))}
      {(usage !== undefined || runId !== undefined) && (
        <p className="chat-turn-foot muted small numeric">
          {usage && (
            <span>
              {formatCount(usage.input_tokens)} tokens in, {formatCount(usage.output_tokens)} out
            </span>
          )}
          {turn.model !== undefined && <span className="mono foreign">{turn.model}</span>}
          {runId !== undefined && <Link href={`/runs/${encodeURIComponent(runId)}`}>Timeline</Link>}
        </p>
      )}
    </>
  )
}

function FailureView({
  failure,
  agentId,
}: {
  readonly failure: NonNullable<Turn['failure']>
  readonly agentId: string
}) {
  const { title, advice, link } = adviseOn(failure.code, agentId, failure.message)
  return (
    <div className="chat-failure" role="group" aria-label={title}>
      <CircleAlert aria-hidden />
      <div className="stack" data-gap="small">
        <strong>{title}</strong>
        <p>
          {advice} {link && <Link href={link.href}>{link.label}</Link>}
        </p>
        <p className="small foreign">
          {failure.message} <code>{failure.code}</code>
        </p>
      </div>
    </div>
  )
}

const longestTask = 10_000

/** What a person asked, and a way to ask it differently. */
function TurnTask({ turn, task }: { readonly turn: Turn; readonly task: string }) {
  const actions = use(ChatActionsOfThread)
  const [isEdited, setIsEdited] = useState(false)
  if (isEdited && actions) {
    return (
      <EditedTask
        task={task}
        isDisabled={actions.isBusy}
        onCancel={() => setIsEdited(false)}
        onSend={(changed) => actions.resend(turn, changed)}
      />
    )
  }
  return (
    <div className="chat-asked">
      {actions && turn.createdAt !== undefined && (
        <IconButton
          label="Edit message"
          icon={<Pencil aria-hidden />}
          isDisabled={actions.isBusy}
          onPress={() => setIsEdited(true)}
        />
      )}
      <div className="chat-task foreign" dir="auto">
        {task.length > longestTask ? <LongText text={task} label="Your message" /> : task}
      </div>
    </div>
  )
}

interface EditedTaskProps {
  readonly task: string
  readonly isDisabled: boolean
  readonly onCancel: () => void
  readonly onSend: (task: string) => void
}

function EditedTask({ task, isDisabled, onCancel, onSend }: EditedTaskProps) {
  const [text, setText] = useState(task)
  return (
    <SubmitForm
      error={null}
      onSubmit={() => {
        if (text.trim() !== '') onSend(text)
      }}
    >
      <TextArea
        label="Edited message"
        description="The message is sent in a new conversation with the messages before it. This conversation stays unchanged."
        value={text}
        onChange={setText}
        rows={3}
        maxLength={1_000_000}
        autoFocus
      />
      <div className="row">
        <Button type="submit" variant="primary" isDisabled={isDisabled || text.trim() === ''}>
          Send edited message
        </Button>
        <Button onPress={onCancel}>Cancel</Button>
      </div>
    </SubmitForm>
  )
}

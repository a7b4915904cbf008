import type { RerunRequest, RunRequest } from '@homeward/contract/agent-platform'
import { loadHistory } from '../conversations/history.ts'
import type { ModelMessage } from '../ports/message.ts'
import { RuntimeError } from '../ports/runtime-error.ts'
import type { Redactor } from '../secrets/redact.ts'
import { isOwnConversation } from '../store/own-conversation.ts'
import type { StoredEffect } from '../store/ports/effect.ts'
import type { RunBeginning } from '../store/ports/new-run.ts'
import type { StoredAgentRun } from '../store/ports/run-store.ts'
import { hashArgs } from './calls/effect-ledger.ts'
import { noProgress } from './loop/run.ts'
import { lastCalls } from './run-messages.ts'
import type { RunsContext } from './runs-options.ts'
import { startRun, type RunAgain, type StartedRun } from './start.ts'
import { readRunView, type RunView } from './trace/run-view.ts'
import { toPlacedSteps, type StepPlace } from './trace/to-steps.ts'

/**
 * Starts an agent's run again: see {@link rerunAgent}.
 *
 * @throws {RuntimeError} `not_found`; `validation_error` for the run of a graph, and for `from`.
 */
export async function rerun(context: RunsContext, id: string, asked: RerunRequest): Promise<StartedRun> {
  const run = await context.store.findRun(id)
  if (!run)
    throw new RuntimeError('not_found', 'Running again failed: no run has this id. List the runs to find it.')
  if (run.kind === 'graph') throw refuse('the run belongs to a graph. Use graphs.rerun().')
  if (run.undoes) throw refuse('the run undoes another run. Run the other run again, or undo it.')
  if (asked.from) throw refuse('"from" works only for runs of graphs. Use "from_step".')
  return rerunAgent(context, run, asked)
}

const refuse = (problem: string) => new RuntimeError('validation_error', `Running again failed: ${problem}`)

/**
 * Starts an agent's run again, from its start or from one of its steps, in a conversation of its own. The agent is as it is
 * now; task, history, files, limits and settings are those of the run.
 *
 * @throws {RuntimeError} `validation_error` for an unknown step; as `Runs.start` does.
 */
async function rerunAgent(
  context: RunsContext,
  run: StoredAgentRun,
  asked: RerunRequest,
): Promise<StartedRun> {
  const id = context.createId()
  const { from_step: from, idempotency_key: key } = asked
  const begun =
    from === undefined
      ? undefined
      : toBeginning(await readRunView(context, run), from, id, await context.redactor())
  const again: RunAgain = {
    id,
    rerunOf: { runId: run.id, ...(from !== undefined && { step: String(from) }) },
    history: await earlierMessages(context, run),
    ...(begun && { begun }),
  }
  const request: RunRequest = {
    agent_id: run.agentId,
    task: asked.task ?? run.task,
    limits: run.limits,
    store: run.store,
    ...(run.userId !== undefined && { user_id: run.userId }),
    ...(run.modelSettings && { model_settings: run.modelSettings }),
    ...(run.clientTools && { client_tools: [...run.clientTools] }),
    ...(run.outputSchema && { output_schema: run.outputSchema }),
    ...(run.metadata && { metadata: run.metadata }),
    ...(key !== undefined && { idempotency_key: key }),
  }
  const { instructions, files: storedFiles, tainted } = run
  const options = {
    source: 'rerun',
    tainted,
    ...(instructions !== undefined && { instructions }),
    ...(storedFiles && { storedFiles }),
  } as const
  return startRun(context, request, options, again)
}

/** Messages of a page. */
const pageSize = 200

/** What a run read of its conversation: the messages before its own turn, as far as they are stored and fit. */
export async function earlierMessages(
  context: Pick<RunsContext, 'store' | 'estimateTokens' | 'historyTokens'>,
  run: StoredAgentRun,
): Promise<readonly ModelMessage[]> {
  return (await earlierHistory(context, run)).messages
}

/** As {@link earlierMessages}, with what stands for messages that did not fit. */
export async function earlierHistory(
  context: Pick<RunsContext, 'store' | 'estimateTokens' | 'historyTokens'>,
  run: StoredAgentRun,
  maxTokens = context.historyTokens,
): Promise<{
  readonly messages: readonly ModelMessage[]
  readonly summary?: string | undefined
  readonly leftOut: boolean
}> {
  if (run.history) return { messages: run.progress.input?.history ?? run.history, leftOut: false }
  const conversation = await context.store.findConversation(run.conversationId)
  if (!conversation || !isOwnConversation(conversation, run)) return { messages: [], leftOut: false }
  const beforeSeq = run.questionSeq ?? (await firstUnread(context, run))
  const { estimateTokens } = context
  const history = await loadHistory(context.store, conversation, { maxTokens, estimateTokens, beforeSeq })
  const { summary, leftOutThrough } = history
  return { messages: history.messages.map(({ message }) => message), summary, leftOut: leftOutThrough > 0 }
}

/** Number of the first message that was added after the run had begun; undefined if there is none. */
async function firstUnread(
  { store }: Pick<RunsContext, 'store'>,
  run: StoredAgentRun,
): Promise<number | undefined> {
  let first: number | undefined
  let cursor: string | undefined
  do {
    const page = await store.listMessages(run.conversationId, { limit: pageSize, cursor })
    const unread = page.rows.filter(({ runId, createdAt }) => runId === run.id || createdAt > run.createdAt)
    first = Math.min(first ?? Infinity, ...unread.map(({ seq }) => seq))
    cursor = unread.length === page.rows.length ? page.nextCursor : undefined
  } while (cursor !== undefined)
  return Number.isFinite(first) ? first : undefined
}

/**
 * What a run takes over from another one that it begins in the middle of: the messages before a step, and the results of
 * calls before it in the same turn, so that none of them is made again.
 *
 * @param runId Id of the new run.
 * @returns undefined for the first step: everything is done again.
 * @throws {RuntimeError} `validation_error` if there is no such step.
 */
function toBeginning(
  view: RunView,
  from: NonNullable<RerunRequest['from_step']>,
  runId: string,
  redact: Redactor,
): RunBeginning | undefined {
  const steps = toPlacedSteps(view, redact)
  const index = typeof from === 'number' ? from : steps.findIndex(({ id }) => id === from)
  const step = steps[index]
  if (!step) {
    throw new RuntimeError(
      'validation_error',
      `Running again failed: "from_step" must be the index or the id of one of the run's ${steps.length} steps. ` +
        'List them with GET /api/runs/{id}/steps.',
    )
  }
  const { place } = step
  if (place.messages === 0) return undefined
  const messages = view.messages.slice(0, place.messages)
  const spans = spansBefore(view, place)
  const isTainted = view.run.tainted || view.run.progress.tainted
  const intents = place.call === undefined ? [] : resultsBefore(view, messages, place.call, runId, isTainted)
  return { messages, spans, intents, progress: { ...noProgress, tainted: isTainted } }
}

/** What ended before the step. */
function spansBefore({ spans, messages }: RunView, { messages: count, call }: StepPlace) {
  const calls = call === undefined ? [] : lastCalls(messages.slice(0, count)).slice(0, call)
  const ids = new Set(calls.map(({ id }) => id))
  return spans
    .filter((span) => {
      if (span.kind === 'model') return span.at < count
      return span.at < count || (call !== undefined && span.at === count && ids.has(span.callId))
    })
    .map((span) => ({ ...span, isReused: true }))
}

/** Entries of the ledger for the calls before the step: they have ended. */
function resultsBefore(
  view: RunView,
  messages: readonly ModelMessage[],
  before: number,
  runId: string,
  untrusted: boolean,
): StoredEffect[] {
  const later = view.messages.slice(messages.length)
  const end = later.findIndex(({ role }) => role === 'assistant')
  const results = later.slice(0, end < 0 ? undefined : end).flatMap((message) => {
    return message.role === 'tool' ? message.results : []
  })
  return lastCalls(messages)
    .slice(0, before)
    .flatMap((call, index): StoredEffect[] => {
      const known = view.effects.find(({ callId }) => callId === call.id)?.outcome?.result
      const result = results.find(({ id }) => id === call.id) ?? known
      // a call without an outcome was not made: it waited
      if (!result) return []
      const key = `${runId}:0:${index}`
      const head = { key, callId: call.id, tool: call.name, argsHash: hashArgs(call.args) }
      return [{ ...head, repeat: 'safe', outcome: { key, result, untrusted } }]
    })
}

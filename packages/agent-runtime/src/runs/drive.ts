import type { toReport } from './background.ts'
import { longestTimerMs } from '@homeward/kit'
import type { RunEvent, RunResult } from '@homeward/contract/agent-platform'
import { isGuarded } from '../ports/guard-errors.ts'
import type { ModelMessage } from '../ports/message.ts'
import { RuntimeError } from '../ports/runtime-error.ts'
import { shownId } from '../store/own-conversation.ts'
import type { ConversationAppend } from '../store/ports/conversation-store.ts'
import { refuseCalls } from './calls/call-events.ts'
import { toQuestion } from './given.ts'
import { endOf, type LiveEnd } from './live-runs.ts'
import { openSpanOf } from './loop/ask-model.ts'
import type { Run, RunEnd, RunPause, RunState, RunStop } from './loop/run.ts'
import { keepPartialTurn, runTurns } from './loop/turns.ts'
import type { RunEnding } from './persistence/run-writer.ts'
import { cancelled, isGivenUp, LostRun } from './run-interrupts.ts'
import { openCalls, withoutCorrections } from './run-messages.ts'
import type { RunsContext } from './runs-options.ts'

/**
 * Does a run's work within its time, and keeps how it ended or what it waits for. Nothing is written of a run that was
 * lost or is given back. Never rejects.
 */
export async function driveRun(run: Run, work: () => Promise<RunStop>): Promise<LiveEnd> {
  const { controller } = run.own
  run.own.onInput = () => heedInputs(run)
  run.own.view = () => ({
    messages: run.writer.messages,
    spans: run.writer.spans,
    open: openSpanOf(run),
  })
  const maxMs = (run.row.limits.max_runtime ?? 600) * 1000
  const timer = setTimeout(
    () =>
      controller.abort(
        new RuntimeError(
          'timeout',
          `Running the agent failed: the run took longer than the limit of ${maxMs / 1000} s. Raise "max_runtime".`,
        ),
      ),
    Math.min(Math.max(0, maxMs - run.progress.activeMs), longestTimerMs),
  )
  try {
    let end = await work()
    for (;;) {
      const done = 'opens' in end ? await wait(run, end) : await finish(run, end)
      if (done.kind !== 'lost' || !(await isSpokenTo(run))) return done
      end = await runTurns(run)
    }
  } catch (error) {
    const goesOn = toGoesOn(run, error)
    if (goesOn) {
      await run.writer.flushIfDue() // what was done is kept before the run is given back
      return goesOn
    }
    keepPartialTurn(run, run.signal.aborted ? run.signal.reason : error)
    refuseCalls(run, openCalls(run.writer.messages), 'Not called: the run ended before')
    return await finish(run, toEnd(run, error))
  } finally {
    clearTimeout(timer)
  }
}

/** Lets the next model call read messages to the run: from the first one on, the run has a stage for them. */
export function heedInputs(run: Run): void {
  run.own.hasInputs = true
  run.use({
    name: 'inputs',
    async turn(next) {
      if (run.own.hasInputs) await (await import('./stages/inputs.ts')).readInputs(run, next)
    },
    async end(stopping) {
      if (run.own.hasInputs) await (await import('./stages/inputs.ts')).holdForInputs(run, stopping)
    },
  })
}

/** Whether a run did not end because somebody has spoken to it, and not because it is another process's. */
async function isSpokenTo(run: Run): Promise<boolean> {
  const { context, row } = run
  const stored = await context.store.findRun(row.id)
  if (stored?.status !== 'running' || stored.lease?.owner !== context.leases.owner) return false
  heedInputs(run)
  return (await (await import('./stages/inputs.ts')).unreadInputs(run)).length > 0
}

/** Where a run goes on that was stopped without an end. */
function toGoesOn({ own, signal }: Run, error: unknown): LiveEnd | undefined {
  if (error instanceof LostRun) return { kind: 'lost' }
  if (signal.aborted) return isGivenUp(signal.reason) ? endOf(signal) : undefined
  return own.isLeaving && isGivenUp(error) ? { kind: 'given-back' } : undefined
}

async function wait(run: Run, end: RunPause): Promise<LiveEnd> {
  run.own.hasNews = false
  const { openWaits } = await import('./waits/open-waits.ts')
  const result = await openWaits(run, end)
  // What it waits for may have ended before it waited: then nobody else lets it go on.
  for (const { runId } of end.suspended) {
    const other = await run.context.store.findRun(runId).catch(() => undefined)
    if (!other || (other.status !== 'waiting' && other.status !== 'running')) run.own.hasNews = true
  }
  return { kind: 'stopped', result, isWaiting: true }
}

function toEnd(run: Run, cause: unknown): RunEnd {
  if (run.signal.aborted) {
    const reason: unknown = run.signal.reason
    const isOver = RuntimeError.is(reason) && reason.code === 'timeout'
    if (isOver) return { stop: 'max_runtime', error: reason }
    const error = RuntimeError.is(reason) ? reason : cancelled()
    return { stop: 'cancelled', error: error.code === 'cancelled' ? error : cancelled() }
  }
  if (RuntimeError.is(cause))
    return { stop: cause.code === 'cancelled' ? 'cancelled' : 'error', error: cause }
  run.context.logger.error('A run failed unexpectedly', {
    runId: run.row.id,
    error: run.redact.text(String(cause)),
  })
  return {
    stop: 'error',
    error: new RuntimeError(
      'run_error',
      'Running the agent failed: an unexpected error occurred. Read the log of the server.',
      { cause },
    ),
  }
}

async function finish(run: Run, end: RunEnd): Promise<LiveEnd> {
  const { context } = run
  try {
    const result = await saveFinish(context, run, end, context.leases.owner)
    return result ? { kind: 'stopped', result } : { kind: 'lost' }
  } catch (cause) {
    context.logger.error('Saving the result of a run failed', { runId: run.row.id, error: String(cause) })
    const error = new RuntimeError(
      'storage_error',
      'Running the agent failed: its result could not be saved. Check the database.',
      {
        cause,
      },
    )
    const result = run.result({ stop: 'error', error })
    // Those who listen hear of it all the same; the stored run goes on when its lease is over.
    run.log.push(toLastEvent(result))
    run.log.close()
    return { kind: 'stopped', result, isKept: false }
  }
}

/**
 * Ends a run in one write with its turn for the conversation.
 *
 * @param owner whose run it is; undefined for one that waits.
 * @returns undefined when it has ended or is somebody else's: nothing was written.
 */
export async function saveFinish(
  context: RunsContext,
  run: RunState,
  end: RunEnd,
  owner: string | undefined,
): Promise<RunResult | undefined> {
  const result = run.result(end)
  const finishedAt = context.timestamp()
  const status = statusOf(end)
  noteEnd(run, result, status, finishedAt)
  const isKept =
    run.row.store && !(end.error && isGuarded(end.error)) && (!context.guards.input || run.progress.input)
  const conversation = isKept ? toAppend(run, finishedAt) : undefined
  run.progressed({ asked: [], settled: [] })
  const durationMs = Math.max(0, Date.parse(finishedAt) - Date.parse(run.row.createdAt))
  const searched = [run.row.task, result.output]
  const last = toLastEvent(result)
  const report = run.row.background && (await reportOf(context, run, result))
  const parts: RunEnding = { owner, status, result, finishedAt, durationMs, searched, last }
  const ending = report ? { ...parts, report } : parts
  const save = async (given: RunEnding) => {
    const isSaved = await run.writer.finish(given)
    // it is in the queue: workers that are not told find it later
    if (isSaved && report) await context.announceTask?.(report.task).catch(() => {})
    return isSaved ? result : undefined
  }
  if (!conversation) return save(ending)
  try {
    return await save({ ...ending, conversation })
  } catch (error) {
    if (!isForNobody(error)) throw error
  }
  // Somebody else began the conversation while the run worked, or it was deleted: what was done counts, but belongs to
  // nobody there.
  if (!(await save(ending))) return undefined
  context.logger.warn(
    'Saving the messages of a run failed: its conversation was deleted or belongs to another user. Start a new conversation.',
    { runId: run.row.id, conversationId: shownId(conversation.conversationId) },
  )
  return result
}

async function reportOf(...given: Parameters<typeof toReport>): ReturnType<typeof toReport> {
  const { toReport } = await import('./background.ts')
  return toReport(...given)
}

function noteEnd(run: RunState, result: RunResult, status: RunEnding['status'], finishedAt: string) {
  const { stop_reason, turns, tool_calls, usage, error } = result
  const data = {
    agent_id: run.row.agentId,
    status,
    stop_reason,
    turns,
    tool_calls,
    input_tokens: usage.input_tokens,
    output_tokens: usage.output_tokens,
    ...(error !== undefined && { error }),
  }
  run.writer.note('agent.completed', data, finishedAt)
}

const isForNobody = (error: unknown) => RuntimeError.is(error) && error.code === 'not_found'

function statusOf({ stop, error }: RunEnd) {
  if (stop === 'cancelled') return 'cancelled'
  return error ? 'failed' : 'completed'
}

/** What a run adds to its conversation; undefined for nothing. */
function toAppend({ row, writer }: RunState, now: string): ConversationAppend | undefined {
  const { id, conversationCreatedAt, questionSeq } = row
  const answers = withoutCorrections(writer.messages)
  const { messages: question, ...asked } = toQuestion(row)
  const turn =
    questionSeq === undefined ? [...question.map(({ message }) => message), ...answers] : toTurn(row, answers)
  if (turn.length === 0) return undefined
  return {
    ...asked,
    ...(conversationCreatedAt !== undefined && { conversationCreatedAt }),
    messages: turn.map((message, index) => ({ id: `${id}.${index}`, message, runId: id })),
    turnOf: id,
    now,
  }
}

/** Says at the end of the answers what they answer. */
function toTurn({ questionId, regenerates }: RunState['row'], answers: readonly ModelMessage[]) {
  if (questionId === undefined) return answers
  const last = answers.findLastIndex(({ role }) => role !== 'user')
  const mark = { question: questionId, ...(regenerates && { anew: true }) }
  return answers.map((message, at) =>
    at === last && message.role !== 'user' ? { ...message, answers: mark } : message,
  )
}

/** The last event of a run that has ended. */
function toLastEvent(result: RunResult): RunEvent {
  const { output, turns, error = 'The run failed', code = 'run_error', run_id } = result
  if (result.success) return { event: 'done', data: { finalContent: output, turnCount: turns, ...result } }
  return { event: 'error', data: { message: error, code, run_id } }
}

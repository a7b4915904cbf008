import type { GraphRunResult, RunEvent } from '@homeward/contract/agent-platform'
import type { NewJournalEvent } from '../../store/ports/journal.ts'
import type { StoredWait } from '../../store/ports/wait.ts'
import type { RunCost, StoredGraphRun } from '../../store/ports/run-store.ts'
import { RuntimeError } from '../../ports/runtime-error.ts'
import { whileStoreFails } from '../../concurrency/while-store-fails.ts'
import { noProgress } from '../loop/run.ts'
import { nextSeqOf, type EventLog } from '../events/event-log.ts'
import { isGivenUp, LostRun } from '../run-interrupts.ts'
import { RunWriter } from '../persistence/run-writer.ts'
import { toGraphLastEvent, type GraphOutcome } from './graph-driver.ts'
import { endOf, type LiveEnd, type LiveRun } from '../live-runs.ts'
import type { Redactor } from '../../secrets/redact.ts'
import type { RunsContext } from '../runs-options.ts'

/** Does the work of a graph's run and keeps what came of it. Never rejects. */
export async function runGraph(
  context: RunsContext,
  run: StoredGraphRun,
  own: LiveRun,
  isCutOff: boolean,
): Promise<LiveEnd> {
  const { signal } = own.controller
  try {
    const next = () => nextSeqOf(context, run, isCutOff)
    const { nextSeq, isFirst } = await whileStoreFails(context, next, signal)
    const log = context.watchers.openLog(run.id, nextSeq)
    if (isFirst) log.push({ event: 'start', data: { run_id: run.id, graph_id: run.graph.id } })
    own.log = log
    const redact = await context.redactor()
    const writer = createGraphWriter(context, run, own, log)
    return await drive(context, run, own, writer, redact)
  } catch (error) {
    if (error instanceof LostRun) return { kind: 'lost' }
    if (signal.aborted && isGivenUp(signal.reason)) return endOf(signal)
    context.logger.error('Saving the result of a graph run failed', {
      runId: run.id,
      error: String(error),
    })
    const failure = new RuntimeError(
      'storage_error',
      'Running the graph failed: its result could not be saved. Check the database.',
    )
    return { kind: 'stopped', result: emptyResult(run, failure), isKept: false }
  }
}

type GraphWriter = ReturnType<typeof createGraphWriter>

async function drive(
  context: RunsContext,
  run: StoredGraphRun,
  own: LiveRun,
  writer: GraphWriter,
  redact: Redactor,
): Promise<LiveEnd> {
  const { signal } = own.controller
  const { owner } = context.leases
  const work = { run, signal, owner, push: writer.push, save: writer.save, open: writer.open, redact }
  let outcome: GraphOutcome
  try {
    if (!context.driveGraph)
      throw new RuntimeError(
        'run_error',
        'Running the graph failed: this runtime does not run graphs. Use another runtime.',
      )
    outcome = await context.driveGraph(work)
  } catch (error) {
    if (error instanceof LostRun) throw error
    if (signal.aborted && isGivenUp(signal.reason)) return endOf(signal)
    const result = emptyResult(run, toFailure(context, run, redact, signal, error))
    outcome = { result, isWaiting: false, isTainted: run.tainted }
  }
  if (signal.aborted && isGivenUp(signal.reason)) return endOf(signal)
  const { result, isWaiting, isTainted, cost } = outcome
  if (isTainted) writer.taint()
  if (isWaiting && !signal.aborted) {
    await writer.wait(result)
    return { kind: 'stopped', result, isWaiting: true }
  }
  await writer.finish(result, signal.aborted, cost)
  return { kind: 'stopped', result }
}

/** Writes of a graph's run. */
function createGraphWriter(context: RunsContext, run: StoredGraphRun, own: LiveRun, log: EventLog) {
  const { controller } = own
  const { owner } = context.leases
  let { usage } = noProgress
  let cost: RunCost | undefined
  let { tainted } = run
  const writer = new RunWriter({
    context,
    runId: run.id,
    log,
    progress: () => ({ ...noProgress, tainted, usage, ...(cost && { cost }) }),
    signal: controller.signal,
  })

  async function stopIfLost(write: Promise<void>): Promise<void> {
    try {
      await write
    } catch (error) {
      if (error instanceof LostRun) controller.abort(error)
      throw error
    }
  }

  return {
    push: (event: RunEvent) => log.push(event),
    taint: () => void (tainted = true),
    async save(journal: readonly NewJournalEvent[] = []) {
      for (const { type, data, timestamp } of journal) writer.note(type, data, timestamp)
      await stopIfLost(writer.flush())
    },
    async open(wait: StoredWait, isKnown: boolean) {
      const { id: wait_id, kind, event, createdAt, expiresAt } = wait
      if (!isKnown) {
        writer.note('wait.opened', { graph_id: run.graph.id, wait_id, kind }, createdAt)
        await stopIfLost(writer.wait({ opens: [wait] }))
      }
      if (expiresAt !== undefined) context.hooks.onDue?.(Date.parse(expiresAt))
      // after it is stored: whoever sends a signal now sees it
      if (event !== undefined) await (await import('../waits/signals.ts')).takeKept(context, run, wait)
    },
    wait: (result: GraphRunResult) => stopIfLost(writer.wait({ result })),
    async finish(result: GraphRunResult, wasCancelled: boolean, spent: RunCost | undefined) {
      const finishedAt = context.timestamp()
      const status = result.success ? 'completed' : wasCancelled ? 'cancelled' : 'failed'
      const data = { graph_id: run.graph.id, success: result.success, status }
      const error = result.error === undefined ? data : { ...data, error: result.error }
      writer.note('graph.completed', error, finishedAt)
      usage = result.usage
      cost = spent
      const last = toGraphLastEvent(result)
      const durationMs = Math.max(0, Date.parse(finishedAt) - Date.parse(run.createdAt))
      const searched = [run.task, result.output]
      const end = { owner, status, result, finishedAt, durationMs, searched, last } as const
      if (!(await writer.finish(end))) throw new LostRun()
    },
  }
}

function toFailure(
  context: RunsContext,
  run: StoredGraphRun,
  redact: Redactor,
  { aborted, reason }: AbortSignal,
  error: unknown,
): RuntimeError {
  if (aborted && RuntimeError.is(reason)) return reason
  if (RuntimeError.is(error)) return error
  context.logger.error('A graph run failed unexpectedly', {
    runId: run.id,
    error: redact.text(String(error)),
  })
  return new RuntimeError(
    'run_error',
    'Running the graph failed: an unexpected error occurred. Read the log of the server.',
    { cause: error },
  )
}

const emptyResult = (run: StoredGraphRun, { message, code }: RuntimeError): GraphRunResult => ({
  success: false,
  stop_reason: code === 'cancelled' ? 'cancelled' : 'error',
  output: '',
  error: message,
  code,
  outputs: {},
  run_id: run.id,
  graph_id: run.graph.id,
  node_results: [],
  usage: { input_tokens: 0, output_tokens: 0 },
})

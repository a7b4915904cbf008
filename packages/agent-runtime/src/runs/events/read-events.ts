import { RuntimeError } from '../../ports/runtime-error.ts'
import { waitsIn } from '../../ports/waiting-agent.ts'
import type { RunEventBatch } from '../../store/ports/run-store.ts'
import { findRun } from '../find-run.ts'
import type { EventLog } from './event-log.ts'
import { lookAgainMs } from './follow-run.ts'
import type { ReasoningReader } from './reasoning-log.ts'
import type { NumberedRunEvent, RunEventsOptions } from '../runs.ts'
import type { RunsContext } from '../runs-options.ts'

/**
 * Reads a run's events by its own position: those not kept yet from the run itself, all others from the store. Nothing
 * is queued for a reader, however slow it is.
 *
 * @param closed aborts when nothing can be read any more; readers of a run that ends because the runtime closes get its last events
 */
export async function* readEvents(
  context: RunsContext,
  closed: AbortSignal,
  runId: string,
  sinceSeq: number,
  caller: AbortSignal | undefined,
  { reasoning = false, untilWaiting = false, untilNow = false }: RunEventsOptions = {},
): AsyncGenerator<NumberedRunEvent, void, undefined> {
  const { live, watchers, closing } = context
  const signal = caller ? AbortSignal.any([caller, closed]) : closed
  const { wakeup, end } = watchers.watch(runId)
  let seq = sinceSeq
  let log = live.get(runId)?.log
  let hasEndedBefore = false
  const unstored = context.reasoning.read(runId, sinceSeq)
  try {
    while (!signal.aborted) {
      log = live.get(runId)?.log ?? log
      // Asked before the events are read: what comes in between is read in the next round.
      const isLive = live.get(runId) !== undefined
      const isClosed = log?.isClosed ?? false
      const batches = await readBatches(context, runId, seq, log, isLive)
      for (const numbered of behind(batches, seq)) {
        yield* unstoredBefore(unstored, numbered.seq, reasoning)
        if (signal.aborted) return
        seq = numbered.seq
        yield numbered
        if (isLast(numbered)) return
      }
      if (batches.length > 0) {
        hasEndedBefore = false // one that waited goes on
        continue
      }
      yield* unstoredBefore(unstored, seq + 1, reasoning)
      if (isClosed || hasEndedBefore || untilNow) return
      // It may have gone on and ended since the events were read: they are read once more.
      hasEndedBefore = !isLive && (await hasEnded(context, runId, untilWaiting))
      if (hasEndedBefore) continue
      if (closing.signal.aborted && !isLive) return // it waits for a person, and nothing more comes from here
      await wakeup.wait(!isLive && context.store.isDurable ? lookAgainMs : Infinity, signal)
    }
  } finally {
    end()
  }
}

function* unstoredBefore(
  unstored: ReasoningReader,
  seq: number,
  withReasoning: boolean,
): Generator<NumberedRunEvent, void, undefined> {
  for (const { afterSeq, delta, event } of unstored.before(seq)) {
    if (event) yield { seq: afterSeq, event }
    else if (withReasoning) yield { seq: afterSeq, event: { event: 'reasoning', data: { delta } } }
  }
}

async function readBatches(
  { store }: RunsContext,
  runId: string,
  seq: number,
  log: EventLog | undefined,
  isLive: boolean,
): Promise<readonly RunEventBatch[]> {
  const unsaved = log?.after(seq)
  if (unsaved && unsaved.firstSeq + unsaved.events.length - 1 > seq) return [unsaved]
  // One that waits may go on in another process, or be cancelled: its log from here knows nothing of that.
  if (unsaved && isLive) return []
  // Looked at before the store is: what is kept in between is found there.
  const held = log?.batch()
  const kept = await store.listRunEvents(runId, seq)
  // Behind a crash numbers go on with a gap: the store has nothing in it, and the run goes on behind it.
  return kept.length === 0 && held && held.events.length > 0 ? [held] : kept
}

function* behind(
  batches: readonly RunEventBatch[],
  seq: number,
): Generator<NumberedRunEvent, void, undefined> {
  for (const { firstSeq, events } of batches) {
    // By index: the batch of a run under way grows while it is read.
    for (let index = Math.max(0, seq + 1 - firstSeq); index < events.length; index += 1) {
      const event = events[index]
      if (event) yield { seq: firstSeq + index, event }
    }
  }
}

const isLast = ({ event }: NumberedRunEvent) => event.event === 'done' || event.event === 'error'

async function hasEnded(context: RunsContext, runId: string, untilWaiting: boolean): Promise<boolean> {
  const run = await context.store.findRun(runId)
  if (!run)
    throw new RuntimeError(
      'not_found',
      'Reading the events of a run failed: no run has this id. List the runs to find it.',
    )
  if (run.status === 'waiting') return untilWaiting && (await isToldToWait(context, runId))
  return run.status !== 'running'
}

/** Whether a run waits for what its events have told. Behind the last answer it goes on in a moment. */
async function isToldToWait(context: RunsContext, runId: string): Promise<boolean> {
  const { waits = [], result } = (await findRun(context, runId)) ?? {}
  const told = new Set(waitsIn(result).map(({ id }) => id))
  const open = waits.filter(({ status }) => status === 'open')
  return open.length > 0 && open.every(({ id }) => told.has(id))
}

// Named import, so that tests that fake the global timers do not hold up what is kept.
import { clearImmediate, setImmediate } from 'node:timers'
import type { RunEvent } from '@homeward/contract/agent-platform'
import type { NewJournalEvent } from '../../store/ports/journal.ts'
import type { RunStepWrite } from '../../store/ports/run-store.ts'
import { progressOf, type ActiveRun, type RunRecord } from '../active-run.ts'
import { keepStep, keepSurely, keepUnsure, type StepToKeep } from './keep-step.ts'
import type { RunsContext } from '../runs-options.ts'

const noEvents: readonly RunEvent[] = []

/**
 * Keeps what a turn has added, in one write. While the store fails for a moment, that takes longer.
 *
 * @throws {LostRun} when it is not this process's any more; what the store fails with.
 */
export async function saveStep(
  context: RunsContext,
  run: ActiveRun,
  waitFor?: RunStepWrite['waitFor'],
  more: readonly RunEvent[] = noEvents,
): Promise<void> {
  const pending = takePending(run)
  // a step of it that failed is made again first, and says what is wrong if that stays so
  if (pending) await pending.catch(() => {})
  await keepSurely(context, run, () => toStep(context, run, more, waitFor), run.signal)
}

/**
 * Keeps what a turn has added without waiting for it: the next model call need not. The next write of the run waits, and
 * when this one failed makes it again first. When that comes in the same turn of the event loop, it is one write with this
 * one: of a model that answers at once, a turn costs one.
 */
export function saveStepSoon(context: RunsContext, run: RunRecord): void {
  run.isDue = true
  run.soon ??= setImmediate(() => {
    run.soon = undefined
    if (run.isDue) beginStep(context, run)
  })
}

/** Waits until what was to be kept soon is kept, or could not be. */
export async function saveNow(context: RunsContext, run: RunRecord): Promise<void> {
  if (run.isDue) beginStep(context, run)
  await run.pending?.catch(() => {})
}

/** What the next write has to wait for. What was to be kept soon it takes along itself. */
export function takePending(run: RunRecord): Promise<void> | undefined {
  run.isDue = false
  return run.pending
}

/** The same for the last write of a run. */
export function takeLastPending(run: RunRecord): Promise<void> | undefined {
  if (run.soon) clearImmediate(run.soon)
  run.soon = undefined
  return takePending(run)
}

function beginStep(context: RunsContext, run: RunRecord): void {
  const pending = beginBehind(context, run, takePending(run))
  const settle = (hasFailed: boolean) => {
    run.hasFailed = hasFailed
    if (run.pending === pending) run.pending = undefined
  }
  run.pending = pending
  // what it failed with, the next write says
  pending.then(
    () => settle(false),
    () => settle(true),
  )
}

async function beginBehind(context: RunsContext, run: RunRecord, before: Promise<void> | undefined) {
  if (before) await before
  await keepUnsure(context, run)
  await keepStep(context, run, toStep(context, run, noEvents))
}

/** All that the store does not have yet as a step. What is added from now on goes into the next one. */
function toStep(
  context: RunsContext,
  run: RunRecord,
  more: readonly RunEvent[],
  waitFor?: RunStepWrite['waitFor'],
): StepToKeep {
  const step = toWrite(context, run, more, context.leases.owner)
  // events go on to be told while it is kept
  step.stream = { firstSeq: step.stream.firstSeq, events: step.stream.events.slice() }
  if (waitFor) step.waitFor = waitFor
  run.journal = []
  // by way of a name, as `intents` are
  const onKept = () => markSaved(run, step, more)
  return { step, onKept }
}

/** What a write is made of; made anew in each turn, so it is filled in rather than copied. */
interface NewWrite<Owner> {
  runId: string
  owner: Owner
  messages: RunStepWrite['messages']
  progress: RunStepWrite['progress']
  stream: RunStepWrite['stream']
  journal: NewJournalEvent[]
  intents?: RunStepWrite['intents'] & {}
  waitFor?: RunStepWrite['waitFor'] & {}
}

/** All that the store does not have yet, with `more` behind its events. */
export function toWrite<Owner extends string | undefined>(
  context: RunsContext,
  run: RunRecord,
  more: readonly RunEvent[],
  owner: Owner,
): NewWrite<Owner> {
  const { firstSeq, events } = run.log.batch()
  const write: NewWrite<Owner> = {
    runId: run.run.id,
    owner,
    messages: run.messages.slice(run.savedMessages),
    progress: progressOf(run, context.now(), firstSeq + events.length + more.length - 1),
    stream: { firstSeq, events: more.length > 0 ? [...events, ...more] : events },
    journal: run.journal,
  }
  if (run.intents) write.intents = run.intents()
  return write
}

/** Says that the store has what was written. */
export function markSaved(
  run: RunRecord,
  { messages, progress, stream }: Pick<RunStepWrite, 'messages' | 'progress' | 'stream'>,
  more: readonly RunEvent[],
): void {
  run.savedMessages += messages.length
  const { firstSeq } = stream
  run.log.saved((progress.lastSeq ?? firstSeq - 1) + 1 - firstSeq - more.length, more)
}

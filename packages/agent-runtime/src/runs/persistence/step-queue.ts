import { whileStoreFails } from '../../concurrency/while-store-fails.ts'
import type { RunFinish, RunStepWrite, StoredRun } from '../../store/ports/run-store.ts'
import { LostRun } from '../run-interrupts.ts'
import type { RunsContext } from '../runs-options.ts'

/** A write of a run, and what to do once the store has it. */
export interface Step {
  readonly write: RunStepWrite
  readonly onKept: () => void
}

/**
 * Makes the writes of one run, one after the other. A write that failed may have been kept all the same: it is made
 * again, as it was, before any other.
 */
export interface StepQueue {
  /**
   * Makes a write, again while the store fails for a moment.
   *
   * @param toStep is asked once the writes before are made.
   * @throws {LostRun} when another process has the run; what the store fails with at last.
   */
  write(toStep: () => Step): Promise<void>
  /** The same, without trying again. */
  writeOnce(toStep: () => Step): Promise<void>
  /** Waits for the writes under way, whatever comes of them. Never rejects. */
  idle(): Promise<void>
  /**
   * Waits for the writes under way, and finds out whether the one that failed was kept.
   *
   * @returns the write when it was not.
   * @throws {LostRun} when another process has the run; what the store fails with when it cannot be read either.
   */
  settle(): Promise<RunStepWrite | undefined>
}

/** Builds a queue. `signal` ends the trying of {@link StepQueue.write}. */
export function createStepQueue(
  context: Pick<RunsContext, 'store' | 'logger' | 'random'>,
  signal?: AbortSignal,
): StepQueue {
  let newest: Promise<void> | undefined
  let unsure: Step | undefined

  function inTurn(work: () => Promise<void>): Promise<void> {
    const before = newest
    const own = before ? before.catch(throwLost).then(work) : work()
    newest = own
    const forget = () => {
      if (newest === own) newest = undefined
    }
    own.then(forget, forget)
    return own
  }

  async function keep(step: Step): Promise<void> {
    const isRepeat = unsure === step
    let isKept: boolean
    try {
      isKept = await context.store.saveRunStep(isRepeat ? { ...step.write, isRepeat } : step.write)
    } catch (error) {
      unsure = step
      throw error
    }
    unsure = undefined
    if (!isKept) throw new LostRun()
    step.onKept()
  }

  async function keepUnsure(): Promise<void> {
    if (unsure) await keep(unsure)
  }

  return {
    write: (toStep) =>
      inTurn(async () => {
        if (unsure) await whileStoreFails(context, keepUnsure, signal)
        const step = toStep()
        await whileStoreFails(context, () => keep(step), signal)
      }),
    writeOnce: (toStep) =>
      inTurn(async () => {
        await keepUnsure()
        await keep(toStep())
      }),
    async idle() {
      await newest?.catch(() => {})
    },
    async settle() {
      await newest?.catch(throwLost)
      try {
        await whileStoreFails(context, keepUnsure)
      } catch (error) {
        if (error instanceof LostRun || !unsure) throw error
        const { write, onKept } = unsure
        const isThere = await hasStep(context, write)
        unsure = undefined
        if (!isThere) return write
        onKept()
      }
      return undefined
    },
  }
}

/** What else a write failed with, its own caller hears. */
function throwLost(error: unknown): void {
  if (error instanceof LostRun) throw error
}

/**
 * Writes the end of a run, again while the store fails for a moment.
 *
 * @returns false when it had ended before, or is somebody else's.
 * @throws {unknown} what the store fails with at last.
 */
export function endRun(
  context: Pick<RunsContext, 'store' | 'logger' | 'random'>,
  finish: RunFinish,
): Promise<boolean> {
  const { store } = context
  let isRepeat = false
  return whileStoreFails(context, async () => {
    const mayBeThere = isRepeat
    isRepeat = true
    return (await store.finishRun(finish)) || (mayBeThere && isEnd(finish, await store.findRun(finish.runId)))
  })
}

/** Whether a run has come to this very end: a write that failed was kept all the same. */
const isEnd = ({ finishedAt, status }: RunFinish, run: StoredRun | undefined) =>
  run?.finishedAt === finishedAt && run.status === status

/** Whether the newest step of a run is this one, as far as can be read. */
async function hasStep(
  { store }: Pick<RunsContext, 'store'>,
  { runId, progress }: RunStepWrite,
): Promise<boolean> {
  const newest = (await store.findRun(runId))?.progress
  return (
    newest?.lastSeq === progress.lastSeq &&
    newest?.turns === progress.turns &&
    newest.toolCalls === progress.toolCalls &&
    newest.activeMs === progress.activeMs
  )
}

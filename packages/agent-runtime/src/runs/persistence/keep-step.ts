import type { RunStepWrite } from '../../store/ports/run-store.ts'
import { LostRun } from '../given-up.ts'
import type { RunsContext } from '../runs-options.ts'
import { whileStoreFails } from '../../concurrency/while-store-fails.ts'

/** A write of a run, and what becomes of it once it is kept. */
export interface StepToKeep {
  readonly step: RunStepWrite
  readonly onKept: () => void
}

/** What is known of the writes of a run that failed. */
export interface UnsureSteps {
  /** The write that failed last: it may be there all the same, and is made again, as it was, before any other. */
  unsure: StepToKeep | undefined
}

/**
 * Makes a write of a run, once.
 *
 * @throws {LostRun} when it is not this process's any more; what the store fails with: then the write is unsure.
 */
export async function keepStep(context: RunsContext, run: UnsureSteps, toKeep: StepToKeep): Promise<void> {
  const { step, onKept } = toKeep
  const isRepeat = run.unsure === toKeep
  let isKept: boolean
  try {
    isKept = await context.store.saveRunStep(isRepeat ? { ...step, isRepeat } : step)
  } catch (error) {
    run.unsure = toKeep
    throw error
  }
  run.unsure = undefined
  if (!isKept) throw new LostRun('The run is not this process’s any more')
  onKept()
}

/** Makes the write again that failed, if there is one. @throws as {@link keepStep} does. */
export async function keepUnsure(context: RunsContext, run: UnsureSteps): Promise<void> {
  if (run.unsure) await keepStep(context, run, run.unsure)
}

/**
 * Makes a write of a run behind the one that failed, each again while the store fails for a moment.
 *
 * @param toKeep is asked once what it goes behind is kept.
 * @param signal ends the trying.
 */
export async function keepSurely(
  context: RunsContext,
  run: UnsureSteps,
  toKeep: () => StepToKeep,
  signal: AbortSignal,
): Promise<void> {
  if (run.unsure) await whileStoreFails(context, () => keepUnsure(context, run), signal)
  const made = toKeep()
  await whileStoreFails(context, () => keepStep(context, run, made), signal)
}

/**
 * Before the end of a run is written: finds out whether the write is there that failed.
 *
 * @returns the write when it is not: the end holds what it held.
 * @throws {LostRun} when the run is not this process's any more; what the store fails with when it cannot be read either.
 */
export async function settleUnsure(
  context: RunsContext,
  run: UnsureSteps,
): Promise<RunStepWrite | undefined> {
  const { unsure } = run
  if (!unsure) return undefined
  try {
    await whileStoreFails(context, () => keepUnsure(context, run))
    return undefined
  } catch (error) {
    if (error instanceof LostRun) throw error
    const isThere = await hasStep(context, unsure.step)
    run.unsure = undefined
    if (!isThere) return unsure.step
    unsure.onKept()
    return undefined
  }
}

/** Whether the newest step of a run is this one, as far as can be read. */
async function hasStep({ store }: RunsContext, { runId, progress }: RunStepWrite): Promise<boolean> {
  const newest = (await store.findRun(runId))?.progress
  return (
    newest?.lastSeq === progress.lastSeq &&
    newest?.turns === progress.turns &&
    newest.toolCalls === progress.toolCalls &&
    newest.activeMs === progress.activeMs
  )
}

import { whileStoreFails } from '../../concurrency/while-store-fails.ts'
import type { RunFinish, RunStepWrite, StoredRun } from '../../store/ports/run-store.ts'
import type { RunsContext } from '../runs-options.ts'

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
export async function hasStep(
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

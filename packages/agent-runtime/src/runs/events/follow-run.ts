import { untilAborted } from '@homeward/kit'
import type { GraphRunResult, RunResult } from '@homeward/contract/agent-platform'
import type { StoredRun } from '../../store/ports/run-store.ts'
import { RuntimeError } from '../../ports/runtime-error.ts'
import { whileStoreFails } from '../../concurrency/while-store-fails.ts'
import { runGoesOn } from '../run-interrupts.ts'
import type { LiveRun } from '../live-runs.ts'
import type { RunsContext } from '../runs-options.ts'
import { takeOver } from '../continue.ts'

/** Signals of a store are not to be relied on: who waits also looks, so many milliseconds apart. */
export const lookAgainMs = 1000

/**
 * Waits until a run has ended or waits for people, wherever it works; goes on with it here when nobody does any more.
 *
 * @param signal ends the waiting.
 * @throws {RuntimeError} `closed` when the runtime closes before; `not_found`.
 */
export async function followRun(
  context: RunsContext,
  runId: string,
  first: LiveRun | undefined,
  signal?: AbortSignal,
): Promise<RunResult | GraphRunResult> {
  const { live, watchers } = context
  let own = first
  let watch: ReturnType<typeof watchers.watch> | undefined
  try {
    for (;;) {
      signal?.throwIfAborted()
      own ??= live.get(runId)
      if (own) {
        const stopped = await untilAborted(own.end, signal)
        if (stopped.kind === 'given-back') throw runGoesOn()
        if (stopped.kind === 'stopped' && stopped.result) return stopped.result
        own = undefined
      }
      watch ??= watchers.watch(runId) // what comes from here on wakes
      const result = await whileStoreFails(context, () => lookUp(context, runId), signal)
      if (result) return result
      if (live.get(runId)) continue
      if (context.closing.signal.aborted) throw runGoesOn()
      await watch.wakeup.wait(context.store.isDurable ? lookAgainMs : Infinity, signal)
    }
  } finally {
    watch?.end()
  }
}

/** What the store knows of how a run stopped. Takes the run over when its lease is over. */
async function lookUp(context: RunsContext, runId: string) {
  const run = await context.store.findRun(runId)
  if (!run)
    throw new RuntimeError(
      'not_found',
      'Waiting for a run failed: no run has this id. List the runs to find it.',
    )
  if (run.status !== 'running' && run.result) return run.result
  if (run.status === 'running' && isLeft(run, context.now())) await takeOver(context, 1, runId)
  return undefined
}

/** Whether nobody works on a run that is under way. */
export const isLeft = ({ lease }: StoredRun, nowMs: number) =>
  lease === undefined || Date.parse(lease.until) <= nowMs

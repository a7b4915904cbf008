import type { Run } from '@homeward/contract/agent-platform'
import { RuntimeError } from '../ports/runtime-error.ts'
import { cancelWaiting, takeOver } from './continue.ts'
import { isLeft, lookAgainMs } from './events/follow-run.ts'
import { childrenOf, findRun } from './find-run.ts'
import { assertOpen, cancelled, isGivenUp } from './run-interrupts.ts'
import type { RunsContext } from './runs-options.ts'

/**
 * Stops a run, whichever process works on it, with all it has asked for, and waits until it has stopped.
 *
 * @throws {RuntimeError} `not_found`.
 */
export async function cancelRun(context: RunsContext, id: string): Promise<Run> {
  const { store, live, watchers, closing } = context
  const { wakeup, end } = watchers.watch(id)
  let isAsked = false
  try {
    for (;;) {
      const own = live.get(id)
      own?.controller.abort(cancelled())
      await own?.end
      const run = await store.findRun(id)
      if (!run)
        throw new RuntimeError(
          'not_found',
          'Canceling a run failed: no run has this id. List the runs to find it.',
        )
      const found =
        run.status === 'running' || run.status === 'waiting' ? undefined : await findRun(context, id)
      if (found) return found
      assertOpen(context)
      if (live.get(id)) continue // it goes on, or was taken over, in this moment
      if (run.status === 'waiting') {
        const below = run.kind === 'agent' ? await Array.fromAsync(childrenOf(store, id)) : []
        await cancelWaiting(context, run)
        for (const { id: child } of below) await cancelRun(context, child)
      } else {
        // once: the request wakes us too
        isAsked ||= await store.requestRunCancel(id)
        const isTaken = isLeft(run, context.now()) && (await takeOver(context, 1, id)) > 0
        if (isAsked && !isTaken) await wakeup.wait(lookAgainMs, closing.signal)
      }
    }
  } finally {
    end()
  }
}

/** Cancels a run when its caller wants it: not when the caller itself goes on somewhere else. */
export function forwardAbort(
  context: RunsContext,
  id: string,
  signal: AbortSignal,
  until: Promise<unknown>,
): void {
  const forward = () => {
    if (isGivenUp(signal.reason) || context.closing.signal.aborted) return
    const own = context.live.get(id)
    if (own) own.controller.abort(cancelled())
    else
      cancelRun(context, id).catch((error: unknown) =>
        context.logger.error('Canceling a run failed', { runId: id, error: String(error) }),
      )
  }
  const unlink = () => signal.removeEventListener('abort', forward)
  if (signal.aborted) return forward()
  signal.addEventListener('abort', forward, { once: true })
  until.then(unlink, unlink)
}

import type { Run } from '@homeward/contract/agent-platform'
import { RuntimeError } from '../ports/runtime-error.ts'
import { cancelled } from './drive-run.ts'
import { childrenOf, findRun } from './find-run.ts'
import { isLeft, lookAgainMs } from './events/follow-run.ts'
import { isGivenUp } from './run-interrupts.ts'
import type { RunsParts } from './runs-parts.ts'
import type { RunStarter } from './run-starter.ts'

/**
 * Stops a run, whichever process works on it, with all it has asked for, and waits until it has stopped.
 *
 * @throws {RuntimeError} `not_found`.
 */
export async function cancelRun(
  parts: RunsParts,
  starter: RunStarter,
  assertOpen: () => void,
  id: string,
): Promise<Run> {
  const { context, live, watchers, closing } = parts
  const { store } = context
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
      assertOpen()
      if (live.get(id)) continue // it goes on, or was taken over, in this moment
      if (run.status === 'waiting') {
        const below = run.kind === 'agent' ? await Array.fromAsync(childrenOf(store, id)) : []
        await starter.cancelWaiting(run)
        for (const { id: child } of below) await cancelRun(parts, starter, assertOpen, child)
      } else {
        // once: the request wakes us too
        isAsked ||= await store.requestRunCancel(id)
        const isTaken = isLeft(run, context.now()) && (await starter.takeOver(1, id)) > 0
        if (isAsked && !isTaken) await wakeup.wait(lookAgainMs, closing)
      }
    }
  } finally {
    end()
  }
}

/** Cancels a run when its caller wants it: not when the caller itself goes on somewhere else. */
export function forwardAbort(
  { context, live, closing }: RunsParts,
  id: string,
  signal: AbortSignal | undefined,
  until: Promise<unknown>,
  cancel: (id: string) => Promise<unknown>,
): void {
  if (!signal) return
  const forward = () => {
    if (isGivenUp(signal.reason) || closing.aborted) return
    const own = live.get(id)
    if (own) own.controller.abort(cancelled())
    else
      cancel(id).catch((error: unknown) =>
        context.logger.error('Canceling a run failed', { runId: id, error: String(error) }),
      )
  }
  const unlink = () => signal.removeEventListener('abort', forward)
  if (signal.aborted) return forward()
  signal.addEventListener('abort', forward, { once: true })
  until.then(unlink, unlink)
}

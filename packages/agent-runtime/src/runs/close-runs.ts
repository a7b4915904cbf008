import { RuntimeError } from '../ports/runtime-error.ts'
import type { RunsParts } from './runs-parts.ts'

/** How long closing waits for tools that take their time to stop. */
const detachedGraceMs = 5000
/** How long closing waits for readers to take the last events of their runs. */
const readerGraceMs = 500

/**
 * Ends the runs of a process: over a durable store they are given back, otherwise they are cancelled. Resolves when
 * nothing of them runs any more.
 *
 * @param ownsLeases whether nobody else needs them.
 */
export async function closeRuns(
  parts: RunsParts,
  background: readonly { close(): Promise<void> }[],
  { closing, closed }: { readonly closing: AbortController; readonly closed: AbortController },
  unsubscribe: () => void,
  ownsLeases: boolean,
): Promise<void> {
  const { context, live, watchers } = parts
  closing.abort(
    new RuntimeError('closed', 'Using the runs failed: the runtime was closed. Create another one.'),
  )
  for (const work of background) await work.close()
  if (context.store.isDurable) await giveBack(parts)
  else await live.cancelAll()
  watchers.notifyAll()
  await watchers.gone(readerGraceMs)
  closed.abort()
  await context.detached.settled(detachedGraceMs)
  unsubscribe()
  if (ownsLeases) context.leases.close()
}

async function giveBack({ context, live }: RunsParts): Promise<void> {
  const left = await live.giveBackAll(context.closeGraceMs)
  if (left.length === 0) return
  try {
    await context.store.releaseRuns(context.leases.owner, left)
  } catch (error) {
    // they go on all the same, once their leases are over
    context.logger.error('Releasing runs failed', { error: String(error) })
  }
}

// Named import, so that tests that fake the global timers do not hold it up.
import { setImmediate } from 'node:timers'

/** Lets everything else have its turn. */
export async function yieldToEventLoop(): Promise<void> {
  await new Promise<void>((resolve) => setImmediate(resolve))
}

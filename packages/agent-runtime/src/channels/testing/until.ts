import { setImmediate } from 'node:timers/promises'

/**
 * Waits for what other work under way brings about, without time that is faked passing.
 *
 * @param patienceMs Real milliseconds, not turns of the event loop: how many of them a machine makes while it loads a file or
 * another thread makes a hash says nothing.
 */
export async function until(condition: () => boolean, patienceMs = 15_000): Promise<void> {
  const lastMs = performance.now() + patienceMs
  while (!condition()) {
    if (performance.now() > lastMs) throw new Error('It did not come about.')
    await setImmediate()
  }
}

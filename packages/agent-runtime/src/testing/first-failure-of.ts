import type { StoreHarness } from './conformance-case.ts'
import type { ConformanceCase } from '@homeward/kit/testing'

/** Name of the first case that a store does not pass; undefined when it passes all. */
export async function firstFailureOf<Store>(
  cases: readonly ConformanceCase<StoreHarness<Store>>[],
  create: () => Store,
): Promise<string | undefined> {
  for (const { name, run } of cases) {
    try {
      await run({
        create: async () => {
          const store = create()
          // hundreds of open databases slow down what comes later
          const { close } = store as { close?: () => Promise<void> }
          return { store, dispose: async () => close?.() }
        },
      })
    } catch {
      return name
    }
  }
  return undefined
}

/** One turn of the event loop: between two steps, what a transaction is there to prevent. */
export const pause = () => new Promise<void>((resolve) => setImmediate(resolve))

import { sleep } from './bell.ts'

/** Waits until the next turn; turns are at least `spacingMs` apart, in the order of asking. */
export type Pace = (signal: AbortSignal) => Promise<void>

/** Spaces requests evenly: never more than `1000 / spacingMs` in any second, no burst to be refused for. */
export function createPace(spacingMs: number, now: () => number): Pace {
  let nextAtMs = -Infinity
  return async (signal) => {
    const atMs = Math.max(now(), nextAtMs)
    nextAtMs = atMs + spacingMs
    const waitMs = atMs - now()
    if (waitMs > 0) await sleep(waitMs, signal)
  }
}

/** Timers that the code waits with. Pass your own to use another clock. */
export interface Timers {
  /** Calls `run` once after `ms`; returns what `clearTimeout` takes. */
  setTimeout(run: () => void, ms: number): unknown
  /** Cancels what `setTimeout` returned. Cancelling twice, or too late, is not an error. */
  clearTimeout(timer: unknown): void
}

/** The timers of the platform, looked up at each call. */
export const platformTimers: Timers = {
  setTimeout: (run, ms) => setTimeout(run, ms),
  // It takes what the line above returned.
  clearTimeout: (timer) => clearTimeout(timer as number),
}

/** The longest time that a timer can hold, 24.8 days in milliseconds. With more it would fire at once. */
export const longestTimerMs = 2_147_483_647

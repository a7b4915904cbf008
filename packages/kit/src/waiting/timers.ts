/** Timers to wait with. Pass your own to use another clock. */
export interface Timers {
  /** Calls `run` once after `ms`. Returns a handle for `clearTimeout`. */
  setTimeout(run: () => void, ms: number): unknown
  /** Cancels a timer. Canceling a timer twice, or after it fired, is not an error. */
  clearTimeout(timer: unknown): void
}

/** The timers of the platform, looked up at each call. */
export const platformTimers: Timers = {
  setTimeout: (run, ms) => setTimeout(run, ms),
  // It takes what the line above returned.
  clearTimeout: (timer) => clearTimeout(timer as number),
}

/** Longest delay of a timer: 24.8 days in milliseconds. A longer delay would fire at once. */
export const longestTimerMs = 2_147_483_647

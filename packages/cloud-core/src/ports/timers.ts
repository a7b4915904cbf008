/** What the cloud waits by. Give another one to put a cloud on a clock of your own. */
export interface Timers {
  /** Calls `run` once after `ms`; gives what `clearTimeout` takes. */
  setTimeout(run: () => void, ms: number): unknown
  /** Calls off what `setTimeout` gave. Calling it off twice, or too late, is no error. */
  clearTimeout(timer: unknown): void
}

/** The timers of the platform, looked up at each call. */
export const platformTimers: Timers = {
  setTimeout: (run, ms) => setTimeout(run, ms),
  // It takes what the line above gave.
  clearTimeout: (timer) => clearTimeout(timer as number),
}

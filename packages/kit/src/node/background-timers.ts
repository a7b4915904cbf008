import type { Timers } from '../waiting/timers.ts'

/** Timers that do not keep the process alive, for optional background work. */
export const backgroundTimers: Timers = {
  setTimeout: (run, ms) => setTimeout(run, ms).unref(),
  // It takes what the line above returned.
  clearTimeout: (timer) => clearTimeout(timer as NodeJS.Timeout),
}

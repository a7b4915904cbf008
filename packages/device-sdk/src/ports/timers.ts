/** What an agent waits by. Give another one to put agents on a clock of your own. */
export interface Timers {
  /** Calls `run` once after `ms`; gives what `clearTimeout` takes. */
  setTimeout(run: () => void, ms: number): unknown
  /** Calls off what `setTimeout` gave. Calling it off twice, or too late, is no error. */
  clearTimeout(timer: unknown): void
}

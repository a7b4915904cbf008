import { HttpFailure } from './http-failure.ts'

/** A time limit joined with the caller's signal. */
export interface Deadline {
  /** Aborts with the caller's reason, or with an {@link HttpFailure} `TIMEOUT` when the time is up. */
  readonly signal: AbortSignal
  /** Starts the time again. */
  restart(): void
  /** Stops the time until it is started again. */
  pause(): void
  /** Settles like `work`, or rejects as soon as {@link signal} aborts, whether or not `work` heeds it. */
  race<T>(work: Promise<T>): Promise<T>
  /** Clears the timer, lets go of the caller's signal, and stops what is still under way. */
  end(): void
}

/** What a timer can hold, 24.8 days; with more, and with no number at all, it would fire at once. */
const longestMs = 2_147_483_647

/** Starts a time limit. Built on `setTimeout`, which can be cleared; `AbortSignal.timeout` cannot. */
export function startDeadline(timeoutMs: number, caller?: AbortSignal): Deadline {
  const controller = new AbortController()
  const { signal } = controller
  let timer: ReturnType<typeof setTimeout> | undefined
  const forward = () => controller.abort(caller?.reason)
  const timeOut = () => controller.abort(new HttpFailure('TIMEOUT', 'The time was up'))
  if (caller?.aborted) forward()
  caller?.addEventListener('abort', forward, { once: true })
  const pause = () => clearTimeout(timer)
  const restart = () => {
    pause()
    if (!signal.aborted) timer = setTimeout(timeOut, Math.min(timeoutMs, longestMs))
  }
  restart()

  return {
    signal,
    restart,
    pause,
    async race(work) {
      let onAbort: (() => void) | undefined
      const aborted = new Promise<never>((_, reject) => {
        // oxlint-disable-next-line prefer-promise-reject-errors -- the caller's reason is passed on as it is
        onAbort = () => reject(signal.reason)
        if (signal.aborted) onAbort()
        signal.addEventListener('abort', onAbort)
      })
      try {
        return await Promise.race([work, aborted])
      } finally {
        if (onAbort) signal.removeEventListener('abort', onAbort)
      }
    },
    end() {
      pause()
      caller?.removeEventListener('abort', forward)
      // Stops what is still being sent: an answer may come before the whole file is out.
      controller.abort()
    },
  }
}

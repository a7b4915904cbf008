import { onAbort, untilAborted } from '../waiting/on-abort.ts'
import { longestTimerMs } from '../waiting/timers.ts'
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

/** Starts a time limit. Built on `setTimeout`, which can be cleared; `AbortSignal.timeout` cannot. */
export function startDeadline(timeoutMs: number, caller?: AbortSignal): Deadline {
  const controller = new AbortController()
  const { signal } = controller
  let timer: ReturnType<typeof setTimeout> | undefined
  const forward = () => controller.abort(caller?.reason)
  const timeOut = () => controller.abort(new HttpFailure('TIMEOUT', 'The deadline has passed'))
  const forget = caller === undefined ? () => {} : onAbort(caller, forward)
  if (caller?.aborted) forward()
  const pause = () => clearTimeout(timer)
  const restart = () => {
    pause()
    if (!signal.aborted) timer = setTimeout(timeOut, Math.min(timeoutMs, longestTimerMs))
  }
  restart()

  return {
    signal,
    restart,
    pause,
    race: (work) => untilAborted(work, signal),
    end() {
      pause()
      forget()
      // Stops what is still being sent: an answer may come before the whole file is out.
      controller.abort()
    },
  }
}

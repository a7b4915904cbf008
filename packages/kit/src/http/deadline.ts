import { onAbort, untilAborted } from '../waiting/on-abort.ts'
import { longestTimerMs } from '../waiting/timers.ts'
import { HttpFailure } from './http-failure.ts'

/** A time limit combined with the caller's signal. */
export interface Deadline {
  /** Aborts with the caller's reason, or with an {@link HttpFailure} `TIMEOUT` when the time is over. */
  readonly signal: AbortSignal
  /** Restarts the time limit. */
  restart(): void
  /** Pauses the time limit until {@link restart}. */
  pause(): void
  /** Settles like `work`, or rejects as soon as {@link signal} aborts, even if `work` ignores the signal. */
  race<T>(work: Promise<T>): Promise<T>
  /** Clears the timer, removes the listener of the caller's signal, and aborts pending work. */
  end(): void
}

/** Starts a time limit. Based on `setTimeout`, because `AbortSignal.timeout` cannot be cleared. */
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

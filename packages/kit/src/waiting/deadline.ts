import { longestTimerMs } from './timers.ts'
import { untilAborted } from './until-aborted.ts'

/** A time limit joined with the caller's signal. */
export interface Deadline {
  /** Aborts with the caller's reason, or when the time is over. */
  readonly signal: AbortSignal
  /** Whether the time is over, as opposed to the caller having aborted. */
  readonly isOver: () => boolean
  /** Starts the time again. */
  restart(): void
  /** Stops the time until {@link restart}, for example while the reader of a download is slow. */
  pause(): void
  /** Settles like `work`, or rejects as soon as {@link signal} aborts, whether or not `work` heeds it. */
  race<T>(work: Promise<T>): Promise<T>
  /** Clears the timer, lets go of the caller's signal, and stops what is still running. */
  end(): void
}

/** Starts a time limit. Built on `setTimeout`, which can be cleared; `AbortSignal.timeout` cannot. */
export function startDeadline(timeoutMs: number, caller?: AbortSignal): Deadline {
  const controller = new AbortController()
  const { signal } = controller
  let over = false
  let timer: ReturnType<typeof setTimeout> | undefined
  const forward = () => controller.abort(caller?.reason)
  if (caller?.aborted) forward()
  caller?.addEventListener('abort', forward, { once: true })
  const pause = () => clearTimeout(timer)
  const restart = () => {
    pause()
    if (signal.aborted) return
    timer = setTimeout(
      () => {
        over = true
        controller.abort(new Error('The time was up'))
      },
      Math.min(timeoutMs, longestTimerMs),
    )
  }
  restart()

  return {
    signal,
    isOver: () => over,
    restart,
    pause,
    race: (work) => untilAborted(work, signal),
    end() {
      pause()
      caller?.removeEventListener('abort', forward)
      // Stops what is still being sent: an answer may come before the whole file is out.
      controller.abort()
    },
  }
}

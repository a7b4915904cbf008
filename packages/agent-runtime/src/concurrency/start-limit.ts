import { longestTimerMs, onAbort } from '@homeward/kit'

/** A time limit in addition to a signal. */
interface Limit {
  /** Aborts when the given signal does, with its reason, and when the time is over. */
  readonly signal: AbortSignal
  /** Whether the time is over. */
  readonly isOver: () => boolean
  /** Stops the timer. */
  end(): void
}

/** Starts a time limit on top of a signal; without a time it is that signal itself. */
export function startLimit(timeoutMs: number | undefined, given: AbortSignal): Limit {
  if (timeoutMs === undefined) return { signal: given, isOver: () => false, end() {} }
  const controller = new AbortController()
  let over = false
  const forward = () => controller.abort(given.reason)
  const onTime = () => {
    over = true
    controller.abort(new Error('The call took too long'))
  }
  const timer = setTimeout(onTime, Math.min(timeoutMs, longestTimerMs))
  const forget = onAbort(given, forward)
  if (given.aborted) forward()
  return {
    signal: controller.signal,
    isOver: () => over,
    end() {
      clearTimeout(timer)
      forget()
    },
  }
}

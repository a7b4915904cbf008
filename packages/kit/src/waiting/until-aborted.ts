import { onAbort } from './on-abort.ts'

/** What else {@link untilAborted} does once the signal has aborted. */
export interface UntilAbortedOptions<T> {
  /** Gets the value of work that succeeds after the abort, for example to close it. */
  readonly late?: (value: T) => void
  /** Called on abort, before the returned promise rejects. */
  readonly abandon?: () => void
}

/**
 * Settles like `work`, or rejects with the signal's reason as soon as it aborts, whether or not `work` heeds it. The
 * outcome of work that ends later is dropped.
 *
 * @param signal without one, `work` itself is returned.
 */
export function untilAborted<T>(
  work: Promise<T> | PromiseLike<T>,
  signal: AbortSignal | undefined,
  { late, abandon }: UntilAbortedOptions<T> = {},
): Promise<T> {
  if (!signal) return Promise.resolve(work)
  return new Promise((resolve, reject) => {
    let isOver = false
    const abort = () => {
      isOver = true
      abandon?.()
      // oxlint-disable-next-line prefer-promise-reject-errors -- the caller's reason is passed on as it is
      reject(signal.reason)
    }
    const forget = onAbort(signal, abort)
    work.then(
      (value) => {
        if (isOver) return late?.(value)
        forget()
        resolve(value)
      },
      (error: unknown) => {
        forget()
        // oxlint-disable-next-line prefer-promise-reject-errors -- passed on as it is
        reject(error)
      },
    )
    if (signal.aborted) {
      forget()
      abort()
    }
  })
}

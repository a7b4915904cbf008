import { onAbort } from './on-abort.ts'

/**
 * Settles like `work`, or rejects with the signal's reason as soon as it aborts, whether or not `work` heeds it. The
 * outcome of work that ends later is dropped.
 *
 * @param signal without one, the result is `work` itself.
 * @param abandon called on abort, before the returned promise rejects: nobody waits for the work any more.
 */
export function untilAborted<T>(
  work: Promise<T>,
  signal: AbortSignal | undefined,
  abandon?: () => void,
): Promise<T> {
  if (!signal) return work
  return new Promise((resolve, reject) => {
    const abort = () => {
      abandon?.()
      // oxlint-disable-next-line prefer-promise-reject-errors -- the caller's reason is passed on as it is
      reject(signal.reason)
    }
    const forget = onAbort(signal, abort)
    const settle =
      <Value>(end: (value: Value) => void) =>
      (value: Value) => {
        forget()
        end(value)
      }
    work.then(settle(resolve), settle(reject))
    if (signal.aborted) abort()
  })
}

import type { AbortHub } from './abort-hub.ts'

/**
 * Settles like `work`, or rejects with the signal's reason as soon as it aborts, whether or not `work` heeds it. What
 * the work comes to later is dropped: `late` gets its value, and `abandon` hears that nobody waits for it any more.
 */
export function untilAbort<T>(
  work: PromiseLike<T>,
  hub: AbortHub,
  { late, abandon }: { readonly late?: (value: T) => void; readonly abandon?: () => void } = {},
): Promise<T> {
  return new Promise((resolve, reject) => {
    let isOver = false
    const onAbort = () => {
      isOver = true
      hub.remove(onAbort)
      abandon?.()
      // oxlint-disable-next-line prefer-promise-reject-errors -- the caller's reason is passed on as it is
      reject(hub.signal.reason)
    }
    hub.add(onAbort)
    work.then(
      (value) => {
        if (isOver) return late?.(value)
        hub.remove(onAbort)
        resolve(value)
      },
      (error: unknown) => {
        hub.remove(onAbort)
        // oxlint-disable-next-line prefer-promise-reject-errors -- passed on as it is
        reject(error)
      },
    )
    if (hub.signal.aborted) onAbort()
  })
}

/** Resolves after `ms`, or rejects with the signal's reason. Clears its timer. */
export function pause(ms: number, hub: AbortHub): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const waited = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  return untilAbort(waited, hub).finally(() => clearTimeout(timer))
}

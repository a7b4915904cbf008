/** Settles like `work`, or rejects with the signal's reason as soon as it aborts, whether or not `work` heeds it. */
export async function untilAbort<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work
  let onAbort = () => {}
  const aborted = new Promise<never>((_, reject) => {
    // oxlint-disable-next-line prefer-promise-reject-errors -- the caller's reason is passed on as it is
    onAbort = () => reject(signal.reason)
    if (signal.aborted) onAbort()
    signal.addEventListener('abort', onAbort)
  })
  try {
    return await Promise.race([work, aborted])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

/**
 * Waits. Resolves early when the signal aborts, never rejects, and clears its timer.
 *
 * @param options.keepsAlive whether the process goes on for it. @default true
 */
export function sleep(
  delayMs: number,
  signal: AbortSignal,
  { keepsAlive = true }: { readonly keepsAlive?: boolean } = {},
): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const end = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, delayMs)
    if (!keepsAlive) timer.unref()
    signal.addEventListener('abort', end)
  })
}

import { getConnection, onConnectionChange } from './connection.ts'

const shortestDelayMs = 1000
const longestDelayMs = 10_000

/**
 * Asks again and again while the server does not answer: whoever looks at the page need not. The answer itself is noticed
 * by `observedFetch`.
 *
 * @returns ends it.
 */
export function startProbe(ask: () => Promise<unknown>): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let delayMs = shortestDelayMs
  let isOver = false

  function schedule(): void {
    clearTimeout(timer)
    if (isOver) return
    if (getConnection() !== 'offline') {
      delayMs = shortestDelayMs
      return
    }
    timer = setTimeout(
      () =>
        void ask()
          .catch(() => {})
          .finally(schedule),
      delayMs,
    )
    delayMs = Math.min(delayMs * 2, longestDelayMs)
  }

  const unsubscribe = onConnectionChange(schedule)
  schedule()
  return () => {
    isOver = true
    unsubscribe()
    clearTimeout(timer)
  }
}

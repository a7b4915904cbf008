/** Counts by key, within a window of time each. */
interface WindowCounts {
  /** Counts one: 0 when it fits, else the wait in milliseconds until the window is over. */
  take(key: string, nowMs: number): number
  /** Whether one more fits, without counting it. */
  has(key: string, nowMs: number): boolean
}

interface Window {
  count: number
  startMs: number
}

/**
 * Creates counts that live in this process. A window starts with the first one of a key, and `limit` fit into it: unlike
 * a token bucket it never lets more through than its limit says, however slowly they come.
 *
 * @param maxKeys Windows kept. At the limit the oldest is forgotten. @default 200,000
 */
export function createWindowCounts(limit: number, windowMs: number, maxKeys = 200_000): WindowCounts {
  const windows = new Map<string, Window>()

  /** What lies further ahead was noted by a clock that has been put back since. */
  const isOver = ({ startMs }: Window, nowMs: number) => Math.abs(nowMs - startMs) >= windowMs

  function current(key: string, nowMs: number): Window | undefined {
    const window = windows.get(key)
    if (window === undefined || !isOver(window, nowMs)) return window
    windows.delete(key)
    return undefined
  }

  return {
    take(key, nowMs) {
      let window = current(key, nowMs)
      if (window === undefined) {
        if (windows.size >= maxKeys) windows.delete(windows.keys().next().value!)
        window = { count: 0, startMs: nowMs }
        windows.set(key, window)
      }
      if (window.count >= limit) return Math.min(windowMs, window.startMs + windowMs - nowMs)
      window.count += 1
      return 0
    },
    has: (key, nowMs) => (current(key, nowMs)?.count ?? 0) < limit,
  }
}

import { useSyncExternalStore } from 'react'

const tickMs = 5000

let now = Date.now()
let timer: ReturnType<typeof setInterval> | undefined
const listeners = new Set<() => void>()

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  now = Date.now()
  timer ??= setInterval(() => {
    now = Date.now()
    for (const each of listeners) each()
  }, tickMs)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

/**
 * Milliseconds since 1970, every five seconds: one clock for all that shows how long ago something was.
 *
 * @param stepMs rounds down to a multiple of it: whoever looks at hours is rendered anew with each hour only.
 */
export function useNow(stepMs = 1): number {
  return useSyncExternalStore(subscribe, () => now - (now % stepMs))
}

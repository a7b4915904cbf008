import { createAutoResetEvent, type AutoResetEvent } from '@homeward/kit'

/** Who waits for events of which run. A run that waits for people keeps its watchers. */
export interface RunWatchers {
  /** Wakes those who watch a run. */
  notify(runId: string): void
  notifyAll(): void
  /** Resolves once nobody watches any more, and after `graceMs` at the latest. */
  gone(graceMs: number): Promise<void>
  watch(runId: string): { readonly wakeup: AutoResetEvent; readonly end: () => void }
}

export function createRunWatchers(): RunWatchers {
  const wakeups = new Map<string, Set<AutoResetEvent>>()
  let onEmpty: (() => void) | undefined
  return {
    notify(runId) {
      const watching = wakeups.get(runId)
      if (watching) for (const wakeup of watching) wakeup.set()
    },
    notifyAll() {
      for (const watching of wakeups.values()) for (const wakeup of watching) wakeup.set()
    },
    gone: (graceMs) =>
      new Promise((resolve) => {
        if (wakeups.size === 0) return resolve()
        const timer = setTimeout(resolve, graceMs)
        onEmpty = () => {
          clearTimeout(timer)
          resolve()
        }
      }),
    watch(runId) {
      const wakeup = createAutoResetEvent()
      const watching = wakeups.get(runId) ?? new Set()
      wakeups.set(runId, watching.add(wakeup))
      const end = () => {
        watching.delete(wakeup)
        if (watching.size === 0 && wakeups.get(runId) === watching) wakeups.delete(runId)
        if (wakeups.size === 0) onEmpty?.()
      }
      return { wakeup, end }
    },
  }
}

import { createBell, type Bell } from '../../concurrency/bell.ts'

/** Who waits for events of which run. A run that waits for people keeps its watchers. */
export interface RunWatchers {
  /** Wakes those who watch a run. */
  ring(runId: string): void
  ringAll(): void
  /** Resolves once nobody watches any more, and after `graceMs` at the latest. */
  gone(graceMs: number): Promise<void>
  watch(runId: string): { readonly bell: Bell; readonly end: () => void }
}

export function createRunWatchers(): RunWatchers {
  const bells = new Map<string, Set<Bell>>()
  let onEmpty: (() => void) | undefined
  return {
    ring(runId) {
      const watching = bells.get(runId)
      if (watching) for (const bell of watching) bell.ring()
    },
    ringAll() {
      for (const watching of bells.values()) for (const bell of watching) bell.ring()
    },
    gone: (graceMs) =>
      new Promise((resolve) => {
        if (bells.size === 0) return resolve()
        const timer = setTimeout(resolve, graceMs)
        onEmpty = () => {
          clearTimeout(timer)
          resolve()
        }
      }),
    watch(runId) {
      const bell = createBell()
      const watching = bells.get(runId) ?? new Set()
      bells.set(runId, watching.add(bell))
      const end = () => {
        watching.delete(bell)
        if (watching.size === 0 && bells.get(runId) === watching) bells.delete(runId)
        if (bells.size === 0) onEmpty?.()
      }
      return { bell, end }
    },
  }
}

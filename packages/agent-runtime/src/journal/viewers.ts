import { createAutoResetEvent, type AutoResetEvent } from '@homeward/kit'

/** Who watches. */
export interface Viewers {
  readonly isEmpty: boolean
  /** @returns a wakeup, and what ends the watch. */
  join(): { readonly wakeup: AutoResetEvent; readonly leave: () => void }
  notifyAll(): void
  /** Resolves once nobody watches any more, and after `graceMs` at the latest. */
  gone(graceMs: number): Promise<void>
}

/** Builds an empty set of viewers; `onEmpty` is called when the last one leaves. */
export function createViewers(onEmpty: () => void): Viewers {
  const wakeups = new Set<AutoResetEvent>()
  let onGone: (() => void) | undefined
  return {
    get isEmpty() {
      return wakeups.size === 0
    },
    join() {
      const wakeup = createAutoResetEvent()
      wakeups.add(wakeup)
      const leave = () => {
        if (!wakeups.delete(wakeup) || wakeups.size > 0) return
        onEmpty()
        onGone?.()
      }
      return { wakeup, leave }
    },
    notifyAll() {
      for (const wakeup of wakeups) wakeup.set()
    },
    gone: (graceMs) =>
      new Promise((resolve) => {
        if (wakeups.size === 0) return resolve()
        const grace = setTimeout(resolve, graceMs)
        onGone = () => {
          clearTimeout(grace)
          resolve()
        }
      }),
  }
}

import { createBell, type Bell } from '../concurrency/bell.ts'

/** Who watches. */
export interface Viewers {
  readonly isEmpty: boolean
  /** @returns a bell, and what ends the watch. */
  join(): { readonly bell: Bell; readonly leave: () => void }
  ringAll(): void
  /** Resolves once nobody watches any more, and after `graceMs` at the latest. */
  gone(graceMs: number): Promise<void>
}

/** Builds an empty set of viewers; `onEmpty` is called when the last one leaves. */
export function createViewers(onEmpty: () => void): Viewers {
  const bells = new Set<Bell>()
  let onGone: (() => void) | undefined
  return {
    get isEmpty() {
      return bells.size === 0
    },
    join() {
      const bell = createBell()
      bells.add(bell)
      const leave = () => {
        if (!bells.delete(bell) || bells.size > 0) return
        onEmpty()
        onGone?.()
      }
      return { bell, leave }
    },
    ringAll() {
      for (const bell of bells) bell.ring()
    },
    gone: (graceMs) =>
      new Promise((resolve) => {
        if (bells.size === 0) return resolve()
        const grace = setTimeout(resolve, graceMs)
        onGone = () => {
          clearTimeout(grace)
          resolve()
        }
      }),
  }
}

import { setImmediate } from 'node:timers/promises'

interface Timer {
  readonly atMs: number
  readonly run: () => void
  isCleared: boolean
}

/** A clock and its timers, for more of them than fake timers can bear. */
export interface VirtualClock {
  readonly now: () => number
  readonly setTimeout: (run: () => void, ms?: number) => Timer
  readonly clearTimeout: (timer: Timer | undefined) => void
  /** Runs what falls due until `ms` from now, and whatever follows from it. */
  readonly advance: (ms: number) => Promise<void>
}

/** Timers run in steps of this length: fine enough for a fleet, and thousands share one turn of the event loop. */
const stepMs = 20

/** Builds a clock that stands at 0. */
export function createVirtualClock(): VirtualClock {
  let nowMs = 0
  const byStep = new Map<number, Timer[]>()
  return {
    now: () => nowMs,
    setTimeout(run, ms = 0) {
      const timer = { atMs: nowMs + ms, run, isCleared: false }
      const step = Math.max(Math.ceil(timer.atMs / stepMs), nowMs / stepMs + 1)
      const others = byStep.get(step)
      if (others) others.push(timer)
      else byStep.set(step, [timer])
      return timer
    },
    clearTimeout(timer) {
      if (timer) timer.isCleared = true
    },
    async advance(ms) {
      for (const endMs = nowMs + ms; nowMs < endMs;) {
        nowMs += stepMs
        const step = nowMs / stepMs
        const due = byStep.get(step)
        if (!due) continue
        byStep.delete(step)
        for (const timer of due) if (!timer.isCleared) timer.run()
        await setImmediate()
      }
    },
  }
}

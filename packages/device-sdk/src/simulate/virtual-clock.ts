import type { Timers } from '../ports/index.ts'

/** Time that passes as fast as its timers can be run. */
export interface VirtualClock {
  /** Milliseconds since 1970, in virtual time. */
  readonly now: () => number
  /** Timers that run on this clock. */
  readonly timers: Timers
  /** Runs what falls due until the first step at or behind `untilMs`, and whatever follows from it. */
  readonly advanceTo: (untilMs: number) => Promise<void>
}

interface VirtualTimer {
  /** Undefined once it was called off, so that nothing of its waiter is kept. */
  run: (() => void) | undefined
}

/** Timers run in steps of this length: fine enough for a fleet, and many share one turn of the event loop. */
export const stepMs = 50

/**
 * Builds a clock that stands at `startMs`. Timers of one step run in the order in which they were set, so a run can be
 * repeated exactly. Steps are a calendar and not a heap: to set or to run a timer costs the same however many there are.
 */
export function createVirtualClock(startMs: number): VirtualClock {
  let nowMs = Math.ceil(startMs / stepMs) * stepMs
  const bySteps = new Map<number, VirtualTimer[]>()

  return {
    now: () => nowMs,
    timers: {
      setTimeout(run, ms) {
        const timer: VirtualTimer = { run }
        const step = Math.max(Math.ceil((nowMs + ms) / stepMs), nowMs / stepMs + 1)
        const others = bySteps.get(step)
        if (others) others.push(timer)
        else bySteps.set(step, [timer])
        return timer
      },
      clearTimeout(timer) {
        // What setTimeout gave, or nothing.
        if (timer) (timer as VirtualTimer).run = undefined
      },
    },
    async advanceTo(untilMs) {
      await settle()
      while (nowMs < untilMs) {
        nowMs += stepMs
        const due = bySteps.get(nowMs / stepMs)
        if (!due) continue
        bySteps.delete(nowMs / stepMs)
        for (const timer of due) timer.run?.()
        await settle()
      }
    },
  }
}

/** Resolves when every promise that can settle without a timer or the network has settled. */
function settle(): Promise<void> {
  return new Promise((resolve) => {
    if (typeof setImmediate === 'function') setImmediate(resolve)
    else setTimeout(resolve, 0)
  })
}

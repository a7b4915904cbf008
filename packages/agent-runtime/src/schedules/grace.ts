import { nextOccurrence } from '@homeward/kit/cron'
import type { RegisteredSchedule } from './schedule-registry.ts'

/** Schedules that wait until another process would have carried them out. */
export interface Grace {
  /** Whether another process may be writing down what is due of it just now. */
  isNeeded(entry: RegisteredSchedule): boolean
  /** Lets one wait. */
  add(entry: RegisteredSchedule): void
  remove(entry: RegisteredSchedule): void
  /** Takes out those that have waited long enough. */
  takeEnded(): RegisteredSchedule[]
  /** When the first one has waited long enough; undefined when none waits. */
  nextEnd(): number | undefined
}

/**
 * How long another process may take to write down what is due, in milliseconds. So long before nothing counts as missed:
 * with thousands of schedules at one minute, who starts in that minute sees cursors that are about to be moved.
 */
const graceMs = 10_000

/** Nobody waits yet. */
export function createGrace(now: () => number): Grace {
  /** In the order in which they began. */
  const waiting = new Set<RegisteredSchedule>()
  /** No longer, too, when the clock was put back or forward. */
  const isOpen = ({ begunAt }: RegisteredSchedule) => Math.abs(now() - begunAt) < graceMs

  return {
    isNeeded(entry) {
      const { isResumed, times, clock, through, begunAt } = entry
      if (!isResumed || !isOpen(entry)) return false
      const recent = nextOccurrence(times, clock, Math.max(through, begunAt - graceMs))
      return recent !== undefined && recent <= begunAt
    },
    add: (entry) => void waiting.add(entry),
    remove: (entry) => void waiting.delete(entry),
    takeEnded() {
      const ended = [...waiting].filter((entry) => !isOpen(entry))
      for (const entry of ended) waiting.delete(entry)
      return ended
    },
    nextEnd() {
      const [first] = waiting
      return first && first.begunAt + graceMs
    },
  }
}

import { answerParent } from '../child.ts'
import { planSpread, planTogether } from './plan-schedules.ts'
import { loadScheduler, type SchedulerName } from './schedule-contender.ts'

/** What the process of a scheduler can be asked for. */
export type SchedulesCalls = typeof calls

const [name = '', home = ''] = process.argv.slice(2)
// The parent passes names of contenders only.
const scheduler = await loadScheduler(name as SchedulerName, home)
let latenesses: number[] = []

async function heapBytes(): Promise<number> {
  for (let round = 0; round < 3; round += 1) {
    globalThis.gc?.()
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  return process.memoryUsage().heapUsed
}

const calls = {
  /** Starts schedules that are not due soon. */
  async hold(count: number): Promise<{ heapMegabytes: number; rssMegabytes: number; startMs: number }> {
    const before = await heapBytes()
    const startedAt = performance.now()
    await scheduler.start(planSpread(count), () => {})
    const startMs = performance.now() - startedAt
    const heapMegabytes = ((await heapBytes()) - before) / 1e6
    return { heapMegabytes, rssMegabytes: process.memoryUsage().rss / 1e6, startMs }
  },

  /** Milliseconds of CPU time in each second of doing nothing. */
  async idle(seconds: number): Promise<number> {
    const before = process.cpuUsage()
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000))
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1000 / seconds
  },

  /** Starts schedules that are all due at one time. */
  async await(count: number, at: number): Promise<void> {
    latenesses = []
    await scheduler.start(planTogether(count, at), () => void latenesses.push(Date.now() - at))
    if (Date.now() > at) throw new Error(`${name} took too long to start`)
  },

  /** How late each was, in milliseconds, the smallest first. */
  lateness: () => latenesses.toSorted((a, b) => a - b),
}
answerParent(calls, () => scheduler.close())

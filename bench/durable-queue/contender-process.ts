import { answerParent } from '../child.ts'
import { loadQueue, type QueueName } from './queue-contender.ts'

/** What the process of a queue can be asked for. */
export type QueueCalls = typeof calls

/** What a number of tasks took. */
export interface TasksTaken {
  readonly seconds: number
  readonly cpuMicros: number
}

const [name = '', home = ''] = process.argv.slice(2)
// The parent passes names of contenders only.
const queue = await loadQueue(name as QueueName, home)

const calls = {
  async process(count: number): Promise<TasksTaken> {
    const startedAt = performance.now()
    const cpuBefore = process.cpuUsage()
    await queue.process(count)
    const { user, system } = process.cpuUsage(cpuBefore)
    return { seconds: (performance.now() - startedAt) / 1000, cpuMicros: user + system }
  },

  /** Milliseconds from putting a task into the idle queue to the begin of its work, so many times. */
  async startLatencies(count: number): Promise<readonly number[]> {
    const latencies: number[] = []
    for (let index = 0; index < count; index += 1) {
      // Spread, so that no poll is hit again and again.
      await new Promise((resolve) => setTimeout(resolve, 5 + ((index * 7) % 20)))
      latencies.push(await queue.startOne())
    }
    return latencies
  },
}
answerParent(calls, () => queue.close())

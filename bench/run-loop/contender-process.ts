import { resourceUsage } from 'node:process'
import { answerParent } from '../child.ts'
import { loadContender, type ContenderName } from './contender.ts'
import { answer, countLookUps, toolCalls } from './task.ts'

/** What the process of a contender can be asked for. */
export type ContenderCalls = typeof calls

/** What a number of runs took. */
export interface RunsTaken {
  readonly seconds: number
  /** Of all threads: the collection of garbage too. */
  readonly cpuMicros: number
}

const [name = '', home = ''] = process.argv.slice(2)
// The parent passes names of contenders only.
const contender = await loadContender(name as ContenderName, home)

const calls = {
  /** Runs the task `count` times, `atOnce` of them at a time, and checks every answer. */
  async run(count: number, atOnce: number): Promise<RunsTaken> {
    const lookUpsBefore = countLookUps()
    const startedAt = performance.now()
    const cpuBefore = process.cpuUsage()
    let left = count
    const worker = async () => {
      while (left > 0) {
        left -= 1
        const given = await contender.run()
        if (given !== answer) throw new Error(`${name} answered ${JSON.stringify(given)}`)
      }
    }
    await Promise.all(Array.from({ length: atOnce }, worker))
    const { user, system } = process.cpuUsage(cpuBefore)
    const seconds = (performance.now() - startedAt) / 1000
    const made = countLookUps() - lookUpsBefore
    if (made !== count * toolCalls) throw new Error(`${name} made ${made} calls in ${count} runs`)
    return { seconds, cpuMicros: user + system }
  },

  /** Most memory that the process has had, in bytes. */
  peakBytes: () => resourceUsage().maxRSS * 1024,
}
answerParent(calls, async () => contender.close?.())

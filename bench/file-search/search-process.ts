import { monitorEventLoopDelay } from 'node:perf_hooks'
import { createFileSearch } from '@homeward/device-sdk/node'
import { answerParent } from '../child.ts'

/** What the process that searches can be asked for. */
export type SearchProcessCalls = typeof calls

const [root = ''] = process.argv.slice(2)
const search = createFileSearch({ roots: [root] })

const calls = {
  /** One search: how long it took, how much it found, and the longest time in which nothing else could run. */
  async search(query: string): Promise<{ ms: number; found: number; longestBlockMs: number }> {
    const resolutionMs = 1
    const delay = monitorEventLoopDelay({ resolution: resolutionMs })
    delay.enable()
    const startedAt = performance.now()
    const task = {
      queryId: 'bench',
      scope: 'files',
      query,
      maxRows: 1000,
      signal: new AbortController().signal,
    }
    const { found } = await search(task)
    const ms = performance.now() - startedAt
    // One more turn, so that a block at the very end is seen too.
    await new Promise((resolve) => setTimeout(resolve, 5 * resolutionMs))
    delay.disable()
    return { ms, found: found.length, longestBlockMs: delay.max / 1e6 - resolutionMs }
  },
}
answerParent(calls)

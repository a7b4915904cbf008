import { monitorEventLoopDelay } from 'node:perf_hooks'
import { createFileIndex, createFileSearch } from '@homeward/device-sdk/node'
import { answerParent } from '../child.ts'

/** What the process that searches can be asked for. */
export type SearchProcessCalls = typeof calls

// With the path of an index file it searches with an index.
const [root = '', path] = process.argv.slice(2)
const built = Promise.withResolvers<{ ms: number; cpuMs: number }>()
const startedAt = performance.now()
const sinceStart = () => {
  const { user, system } = process.cpuUsage()
  return { ms: performance.now() - startedAt, cpuMs: (user + system) / 1000 }
}
const index =
  path === undefined
    ? undefined
    : createFileIndex({
        roots: [root],
        path,
        log: (line) => void (line.endsWith('is ready') && built.resolve(sinceStart())),
      })
const search = index ?? createFileSearch({ roots: [root] })

const calls = {
  /** One search: how long it took, how much it found, and the longest time in which nothing else could run. */
  async search(
    query: string,
    more: object = {},
  ): Promise<{ ms: number; found: number; longestBlockMs: number }> {
    const resolutionMs = 1
    const delay = monitorEventLoopDelay({ resolution: resolutionMs })
    delay.enable()
    const beganAt = performance.now()
    const task = {
      queryId: 'bench',
      scope: 'files',
      query,
      maxRows: 1000,
      signal: new AbortController().signal,
      ...more,
    }
    const { found } = await search(task)
    const ms = performance.now() - beganAt
    // One more turn, so that a block at the very end is seen too.
    await new Promise((resolve) => setTimeout(resolve, 5 * resolutionMs))
    delay.disable()
    return { ms, found: found.length, longestBlockMs: delay.max / 1e6 - resolutionMs }
  },

  /** How long the index took to be built: milliseconds, and those of all threads together. */
  build: () => built.promise,

  /** One further look at a tree that has not changed, with the facts that it reads: milliseconds of CPU. */
  async look(): Promise<number> {
    await index?.look()
    const before = process.cpuUsage()
    await index?.look()
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1000
  },

  /** Memory of the process once it has rested, in bytes. */
  async memory(): Promise<number> {
    await new Promise((resolve) => setTimeout(resolve, 10_000))
    return process.memoryUsage.rss()
  },
}
answerParent(calls)

import { expect } from 'vitest'
import type { ServerProcess } from './server-process.ts'

/** What the server promises of its end, on a machine that has time for it. */
const promisedMs = 3000
/** So long of it the server waits for others at most: `cutAfterMs` of the agent platform. The rest is work. */
const waitsMs = 2250

/** Asks a server to end, and checks that it does so in time, with code 0. */
export async function endInTime(server: ServerProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  const slownessBefore = measureSlowness()
  const { code, tookMs } = await server.end(signal)
  const slowness = Math.max(slownessBefore, measureSlowness())
  const withinMs = waitsMs + (promisedMs - waitsMs) * slowness
  const problem = `took ${tookMs} of ${withinMs} ms\n${server.output()}`
  expect({ code, isInTime: tookMs < withinMs }, problem).toEqual({ code: 0, isInTime: true })
}

/** How many times as long work takes as on a machine with nothing else to do. */
function measureSlowness(): number {
  const workMs = 50
  const startedMs = performance.now()
  const before = process.threadCpuUsage()
  let spentMs = 0
  while (spentMs < workMs) {
    const { user, system } = process.threadCpuUsage(before)
    spentMs = (user + system) / 1000
  }
  return (performance.now() - startedMs) / spentMs
}

import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { list } from './testing/fake-cloud.ts'
import { buildAgent } from './testing/start-agent.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** How long the cloud shows a device as online behind its last heartbeat (C2). */
const onlineMs = 150_000

it.each([
  ['answered with 503', () => new Response('', { status: 503 })],
  ['refused by the network', () => Promise.reject(new Error('ECONNREFUSED'))],
  ['held back with 429', () => new Response('', { status: 429, headers: { 'retry-after': '10' } })],
])(
  'C2: two beats in a row that are %s do not make a device look offline, however its chance falls',
  async (_, fails) => {
    for (const random of [0, 0.5, 0.999]) {
      let beats = 0
      const taken: number[] = []
      const { agent } = buildAgent(
        {
          beat: () => {
            beats += 1
            if (beats % 3 !== 1) return fails() // one of three arrives
            taken.push(Date.now())
            return Response.json({ success: true, status: 'online' })
          },
          searches: () => list([]),
        },
        { random: () => random },
      )
      agent.start()
      await vi.advanceTimersByTimeAsync(1_800_000)
      await agent.stop()
      const gaps = taken.slice(1).map((at, index) => at - taken[index]!)
      expect(gaps.length).toBeGreaterThan(5)
      expect(Math.max(...gaps), `random ${random}`).toBeLessThan(onlineMs)
    }
  },
)

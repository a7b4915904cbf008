import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { ScheduleLoopOptions } from './schedule-loop.ts'
import { createScheduleLoop } from './schedule-loop.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0)
  vi.useRealTimers()
})

/** A loop whose rounds are written down: seconds since the start, and whether it looked. */
function openLoop(changes: Partial<ScheduleLoopOptions> = {}) {
  const startMs = Date.now()
  const rounds: (readonly [second: number, isLook: boolean])[] = []
  const errors: unknown[] = []
  const { round = async () => false, ...others } = changes
  const loop = createScheduleLoop({
    async round(isLook) {
      rounds.push([(Date.now() - startMs) / 1000, isLook])
      return round(isLook)
    },
    nextTime: () => undefined,
    now: () => Date.now(),
    onError: (error) => errors.push(error),
    ...others,
  })
  return { loop, rounds, errors }
}

it('looks at once, and then every minute where nothing else happens', async () => {
  const { loop, rounds } = openLoop()
  await loop.start()
  await loop.start()
  expect(rounds).toEqual([[0, true]])
  await vi.advanceTimersByTimeAsync(120_000)
  expect(rounds).toEqual([
    [0, true],
    [60, true],
    [120, true],
  ])
  await loop.close()
})

it('does a round when something is due, which is no look', async () => {
  const startMs = Date.now()
  const dues = [7000, 20_000].map((ms) => startMs + ms)
  const { loop, rounds } = openLoop({ nextTime: () => dues.find((due) => due > Date.now()) })
  await loop.start()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(rounds).toEqual([
    [0, true],
    [7, false],
    [20, false],
    [60, true],
  ])
  await loop.close()
})

it('looks at once when it is told to, and once more where a round asks for it', async () => {
  const answers = [false, true, false]
  const { loop, rounds } = openLoop({ round: async () => answers.shift() ?? false })
  await loop.start()
  await vi.advanceTimersByTimeAsync(10_000)
  loop.look()
  await vi.advanceTimersByTimeAsync(0)
  expect(rounds).toEqual([
    [0, true],
    [10, true],
    [10, true],
  ])
  await vi.advanceTimersByTimeAsync(59_999)
  expect(rounds).toHaveLength(3)
  await loop.close()
})

it('spends a tenth of its time on looking at most, and waits five seconds for it at the longest', async () => {
  for (const [lookMs, pauseSeconds] of [
    [100, 1],
    [3000, 5],
  ] as const) {
    const { loop, rounds } = openLoop({
      round: (isLook) =>
        isLook ? new Promise((resolve) => setTimeout(() => resolve(false), lookMs)) : Promise.resolve(false),
    })
    const started = loop.start()
    await vi.advanceTimersByTimeAsync(lookMs)
    await started
    loop.look()
    await vi.advanceTimersByTimeAsync(10_000)
    const looks = rounds.filter(([, isLook]) => isLook).map(([second]) => second)
    expect(looks).toEqual([0, lookMs / 1000 + pauseSeconds])
    await vi.advanceTimersByTimeAsync(lookMs)
    await loop.close()
  }
})

it('tries again after a failure, later each time up to half a minute, whatever it is told, and looks again', async () => {
  let isBroken = true
  const { loop, rounds, errors } = openLoop({
    round: () => (isBroken ? Promise.reject(new Error('disk full')) : Promise.resolve(false)),
  })
  await loop.start()
  loop.look()
  await vi.advanceTimersByTimeAsync(100_000)
  expect(rounds.map(([second]) => second)).toEqual([0, 1, 3, 7, 15, 31, 61, 91])
  expect(rounds.every(([, isLook]) => isLook)).toBe(true)
  expect(errors).toEqual(rounds.map(() => new Error('disk full')))
  isBroken = false
  await vi.advanceTimersByTimeAsync(21_000)
  expect(rounds.at(-1)).toEqual([121, true])
  await vi.advanceTimersByTimeAsync(60_000)
  expect(rounds.slice(-2)).toEqual([
    [121, true],
    [181, true],
  ])
  await loop.close()
})

it('looks when the clock was put back or forward', async () => {
  for (const jumpMs of [-3_600_000, 3_600_000]) {
    let nowMs = 0
    let due: number | undefined = 5000
    const looks: boolean[] = []
    const loop = createScheduleLoop({
      async round(isLook) {
        looks.push(isLook)
        due = undefined
        return false
      },
      nextTime: () => due,
      now: () => nowMs,
      onError: () => {},
    })
    await loop.start()
    due = nowMs + 5000
    loop.look()
    await vi.advanceTimersByTimeAsync(0)
    nowMs += jumpMs
    await vi.advanceTimersByTimeAsync(60_000)
    expect(looks.slice(0, 3)).toEqual([true, true, true])
    await loop.close()
  }
})

it('ends behind the round under way, and starts no more', async () => {
  const gate = Promise.withResolvers<boolean>()
  const { loop, rounds } = openLoop({ round: () => gate.promise })
  void loop.start()
  let isClosed = false
  const closing = loop.close().then(() => (isClosed = true))
  await vi.advanceTimersByTimeAsync(1000)
  expect(isClosed).toBe(false)
  gate.resolve(false)
  await closing
  await loop.start()
  expect(rounds).toHaveLength(1)
})

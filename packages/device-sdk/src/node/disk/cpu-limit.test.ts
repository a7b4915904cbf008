import { expect, it } from 'vitest'
import { createCpuLimit } from './cpu-limit.ts'

/** A process that takes all of a core while it works, on a clock of its own. */
function startProcess(maxPercent: number) {
  let [nowMs, usedMs] = [0, 0]
  const limit = createCpuLimit({
    maxPercent,
    now: () => nowMs,
    usedMs: () => usedMs,
    timers: {
      setTimeout(run, ms) {
        nowMs += ms
        queueMicrotask(run)
        return undefined
      },
      clearTimeout: () => {},
    },
  })
  return {
    limit,
    work(ms: number) {
      nowMs += ms
      usedMs += ms
    },
    wait: (ms: number) => void (nowMs += ms),
    now: () => nowMs,
    percent: () => (usedMs / nowMs) * 100,
  }
}

it.each([5, 20, 50])('keeps work below %i percent of a core', async (maxPercent) => {
  const { limit, work, percent } = startProcess(maxPercent)
  for (let step = 0; step < 1000; step += 1) {
    work(10)
    await limit.rest()
  }
  expect(percent()).toBeLessThan(maxPercent * 1.05)
  expect(percent()).toBeGreaterThan(maxPercent * 0.9)
})

it('asks a short search for no rest after a pause, however long the pause was', async () => {
  const { limit, work, wait, now } = startProcess(10)
  wait(3_600_000)
  await limit.rest()
  work(200)
  const before = now()
  await limit.rest()
  expect(now()).toBe(before)
  work(1000)
  await limit.rest()
  expect(now() - before).toBeGreaterThan(9000)
})

it('counts what another process did, and rests together', async () => {
  const { limit, now } = startProcess(50)
  await limit.rest()
  limit.note(1000)
  await Promise.all([limit.rest(), limit.rest()])
  expect(now()).toBe(2000)
})

it('ends with the reason of its signal', async () => {
  const { limit, work } = startProcess(50)
  const stop = new AbortController()
  work(1000)
  const resting = limit.rest(stop.signal)
  stop.abort(new Error('stopped'))
  await expect(resting).rejects.toThrow('stopped')
})

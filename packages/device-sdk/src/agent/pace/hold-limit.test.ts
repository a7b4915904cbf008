import { expect, it } from 'vitest'
import { createHoldLimit } from './hold-limit.ts'

function openLimit(changes: { waits?: readonly number[]; random?: () => number } = {}) {
  let clockMs = 1_000_000
  const limit = createHoldLimit({
    waits: [25],
    maxWaitSeconds: 27,
    now: () => clockMs,
    random: () => 0.5,
    ...changes,
  })
  return { limit, pass: (ms: number) => (clockMs += ms) }
}

it('C22: asks for the jitter of an ordinary interval, from a second up to what a poll may ask for', () => {
  const next = (waitSeconds: number, random: number) =>
    openLimit({ waits: [waitSeconds], random: () => random }).limit.next()
  expect([next(25, 0), next(25, 0.5), next(25, 1)]).toEqual([23, 25, 27])
  expect([next(0.1, 0.5), next(0, 0.5)]).toEqual([1, 0])
})

it('C22: asks for plain polls for ten minutes when three in a row broke off, and forgets it when one was held', () => {
  const { limit, pass } = openLimit()
  const breakOff = (times: number, ms = 5000) => {
    for (let index = 0; index < times; index += 1) limit.noteBroken(ms)
  }
  breakOff(2)
  expect(limit.next()).toBe(25)
  limit.noteHeld()
  breakOff(2)
  expect(limit.next()).toBe(25)
  breakOff(1, 4999) // it was never held
  expect(limit.next()).toBe(25)
  breakOff(1)
  expect(limit.next()).toBe(0)
  pass(599_999)
  expect(limit.next()).toBe(0)
  pass(1)
  expect(limit.next()).toBe(25)
  breakOff(1)
  expect(limit.next()).toBe(0)
  limit.reset()
  expect(limit.next()).toBe(25)
})

it('C22: a clock that was set back does not keep polls plain', () => {
  const { limit, pass } = openLimit()
  for (let index = 0; index < 3; index += 1) limit.noteBroken(5000)
  pass(-600_000)
  expect(limit.next()).toBe(25)
})

it('asks for less where connections break, then for nothing, and for all of it again after ten minutes', () => {
  const { limit, pass } = openLimit({ waits: [25, 10] })
  const breakOff = () => [1, 2, 3].forEach(() => limit.noteBroken(5000))
  breakOff()
  expect(limit.next()).toBe(10)
  limit.noteHeld()
  expect(limit.next()).toBe(10)
  breakOff()
  expect(limit.next()).toBe(0)
  pass(600_000)
  expect(limit.next()).toBe(25)
})

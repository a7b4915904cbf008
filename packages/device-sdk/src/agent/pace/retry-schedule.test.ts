import { expect, it } from 'vitest'
import { createRecentIds } from '../recent-ids.ts'
import { createRetrySchedule } from './retry-schedule.ts'

const hour = 3_600_000

function openSchedule() {
  let clockMs = 10 * hour
  const retries = createRetrySchedule(
    () => clockMs,
    () => 0.5,
  )
  return { retries, pass: (ms: number) => (clockMs += ms) }
}

it('Back-off: each thing waits for itself, twice as long with each failure, until it is forgotten', () => {
  const { retries, pass } = openSchedule()
  expect(retries.waitMs('a')).toBe(0)
  expect([retries.fail('a'), retries.fail('a'), retries.fail('b')]).toEqual([5000, 10_000, 5000])
  expect([retries.waitMs('a'), retries.waitMs('b')]).toEqual([10_000, 5000])
  pass(5000)
  expect([retries.waitMs('a'), retries.waitMs('b')]).toEqual([5000, 0])
  pass(hour)
  expect(retries.waitMs('a')).toBe(0)
  retries.forget('a')
  expect(retries.fail('a')).toBe(5000)
})

it('Back-off: waits for as long as the cloud asked, and up to a quarter more', () => {
  const { retries } = openSchedule()
  expect(retries.fail('a', 60_000)).toBe(67_500)
  expect(retries.waitMs('a')).toBe(67_500)
})

it('Back-off: a clock that was set back makes no pause longer than it was', () => {
  const { retries, pass } = openSchedule()
  expect(retries.fail('a')).toBe(5000)
  pass(-hour)
  expect(retries.waitMs('a')).toBe(5000)
  pass(4000)
  expect(retries.waitMs('a')).toBe(1000)
  pass(1000)
  expect(retries.waitMs('a')).toBe(0)
})

it('Back-off: forgets what failed longest ago, so that it stays bounded', () => {
  const { retries } = openSchedule()
  for (let index = 0; index < 1000; index += 1) retries.fail(`${index}`)
  retries.fail('0')
  expect(retries.waitMs('1')).toBe(5000)
  retries.fail('one more')
  expect([retries.waitMs('0'), retries.waitMs('1'), retries.waitMs('2')]).toEqual([10_000, 0, 5000])
})

it('keeps the ids that were added last', () => {
  const recent = createRecentIds(2)
  for (const id of ['a', 'b', 'a', 'c']) recent.add(id)
  expect(['a', 'b', 'c', 'd'].map((id) => recent.has(id))).toEqual([true, false, true, false])
})

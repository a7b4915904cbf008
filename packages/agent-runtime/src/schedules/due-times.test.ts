import type { CatchUp } from '@homeward/contract/agent-platform'
import { expect, it } from 'vitest'
import { findDueTimes } from './due-times.ts'
import { createScheduleReader } from './schedule-reader.ts'

const reader = await createScheduleReader()
const start = Date.UTC(2026, 0, 1)
const minuteMs = 60_000

/** What is due of a schedule that runs every minute, `minutes` behind the last time; in minutes. */
function dueAfter(minutes: number, catchUp: CatchUp, lateMs = 0) {
  const means = reader.read({ schedule: '* * * * *', timezone: 'UTC' })
  if ('problem' in means) throw new Error(means.problem)
  const now = start + minutes * minuteMs
  const { older, missed, fires } = findDueTimes({ ...means, through: start, now, lateMs, catchUp })
  const toMinutes = (times: readonly number[]) => times.map((time) => (time - start) / minuteMs)
  return { older, missed: toMinutes(missed), fires: toMinutes(fires) }
}
const upTo = (last: number, first = 1) =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index)

it('A9: nothing is due before the next time', () => {
  for (const catchUp of ['skip', 'latest', 'all'] as const)
    expect(dueAfter(0.99, catchUp)).toEqual({ older: undefined, missed: [], fires: [] })
})

it('A9: what is older than that is missed, to the millisecond, and what is in time is carried out', () => {
  const { missed, fires } = dueAfter(5, 'skip', minuteMs)
  expect([missed, fires]).toEqual([[1, 2, 3, 4], [5]])
  expect(dueAfter(5, 'skip', minuteMs + 1)).toMatchObject({ missed: [1, 2, 3], fires: [4, 5] })
  expect(dueAfter(2, 'skip', 2 * minuteMs)).toMatchObject({ missed: [], fires: [1, 2] })
  expect(dueAfter(5.5, 'skip')).toMatchObject({ missed: [1, 2, 3, 4, 5], fires: [] })
})

it('A9: `latest` carries out the last one that was missed, unless one is in time', () => {
  expect(dueAfter(5.5, 'latest')).toMatchObject({ missed: [1, 2, 3, 4], fires: [5] })
  expect(dueAfter(5, 'latest', minuteMs)).toMatchObject({ missed: [1, 2, 3, 4], fires: [5] })
  expect(dueAfter(1, 'latest')).toMatchObject({ missed: [], fires: [1] })
})

it('A9: `all` carries out every one, so many at a time', () => {
  expect(dueAfter(249, 'all')).toEqual({ older: undefined, missed: [], fires: upTo(249) })
  expect(dueAfter(1000, 'all')).toEqual({ older: undefined, missed: [], fires: upTo(250) })
})

it('A9: the newest hundred that were missed are noted one by one, the others counted up to ten thousand', () => {
  const span = (last: number, count: number, isMore: boolean) => ({
    first: start + minuteMs,
    last,
    count,
    isMore,
  })
  expect(dueAfter(100, 'skip')).toEqual({ older: undefined, missed: upTo(100), fires: [] })
  expect(dueAfter(101, 'skip')).toEqual({
    older: span(start + minuteMs, 1, false),
    missed: upTo(101, 2),
    fires: [],
  })
  expect(dueAfter(10_100, 'skip').older).toEqual(span(start + 10_000 * minuteMs, 10_000, false))
  // of more than that only the end is told, just before what is noted
  expect(dueAfter(10_101, 'latest')).toEqual({
    older: span(start + 10_002 * minuteMs - 1, 10_000, true),
    missed: upTo(10_100, 10_002),
    fires: [10_101],
  })
})

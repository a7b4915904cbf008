import type { SearchGroup } from '@homeward/contract/device-cloud'
import { expect, it } from 'vitest'
import { isNarrowed, pickGroups } from './pick-groups.ts'

const now = Date.parse('2026-01-10T12:00:00Z')
const group = (query: string, createdAt: string, pending = 0): SearchGroup => ({
  id: query,
  query,
  scope: ['files'],
  createdAt,
  total: 2,
  counts: { pending, completed: 2 - pending, failed: 0 },
})
const groups = [
  group('Invoice 2026', '2026-01-10T11:30:00Z', 1),
  group('invoice march', '2026-01-05T00:00:00Z'),
  group('holiday', '2025-11-01T00:00:00Z'),
]
const any = { text: '', time: 'all', state: 'all' }
const idsOf = (filter: Partial<typeof any>) =>
  pickGroups(groups, { ...any, ...filter }, now).map(({ id }) => id)

it('finds searches by words, time and state', () => {
  expect(idsOf({})).toHaveLength(3)
  expect(idsOf({ text: 'march INVOICE' })).toEqual(['invoice march'])
  expect(idsOf({ time: 'hour' })).toEqual(['Invoice 2026'])
  expect(idsOf({ time: 'week' })).toEqual(['Invoice 2026', 'invoice march'])
  expect(idsOf({ state: 'waiting' })).toEqual(['Invoice 2026'])
  expect(idsOf({ state: 'settled' })).toEqual(['invoice march', 'holiday'])
  expect(isNarrowed(any)).toBe(false)
  expect(isNarrowed({ ...any, time: 'ages' })).toBe(false)
})

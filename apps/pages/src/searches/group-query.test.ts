import { expect, it } from 'vitest'
import { toGroupQuery } from './group-list.tsx'

const now = Date.parse('2026-01-10T12:00:00.000Z')
const any = { text: '', time: 'all', state: 'all' }

it('asks the server for the searches that a filter names', () => {
  expect(toGroupQuery(any, now)).toEqual({})
  expect(
    toGroupQuery({ text: ' march INVOICE ', time: 'hour', state: 'waiting', savedSearchId: 'v1' }, now),
  ).toEqual({
    text: 'march INVOICE',
    from: '2026-01-10T11:00:00.000Z',
    status: 'pending',
    savedSearchId: 'v1',
  })
  expect(toGroupQuery({ ...any, state: 'settled' }, now)).toEqual({ status: 'settled' })
  expect(toGroupQuery({ ...any, time: 'constructor', state: 'ages' }, now)).toEqual({})
})

import { expect, it } from 'vitest'
import { readSearch } from './call-question.tsx'

it('asks in a sentence about a search that the sentence describes, and about no other call', () => {
  expect(readSearch('devices_search', { query: ' invoice ', deviceIds: ['a'] })).toEqual({
    query: 'invoice',
    deviceIds: ['a'],
  })
  expect(readSearch('devices_search', { query: 'x', scope: ['files'] })).toEqual({
    query: 'x',
    deviceIds: [],
  })
  expect(readSearch('devices_search', { query: 'x', where: { minBytes: 1 } })).toBeUndefined()
  expect(readSearch('devices_search', { query: 'x', scope: ['apps'] })).toBeUndefined()
  expect(readSearch('devices_search', { query: 'x', deviceIds: [1] })).toBeUndefined()
  expect(readSearch('write_file', { query: 'x' })).toBeUndefined()
})

import { ClientError } from '@homeward/contract/client'
import { expect, it } from 'vitest'
import { everyDevice } from '../devices/device-filter.ts'
import { describeSelection } from './file-conditions.tsx'
import { checkSearch, emptySearch, readRefusal, toSearchBody } from './search-draft.ts'

it('puts what the server refused at the fields of the form, which have names of their own', () => {
  const detail = 'query: must not hold control characters; scope: Too big; ttlSeconds: Too small'
  const error = new ClientError('HTTP', 'createSearches failed', { status: 400, detail })
  expect(readRefusal(error)).toEqual({
    fields: { query: 'Must not hold control characters', scopes: 'Too big', ttlMinutes: 'Too small' },
    rest: undefined,
  })
  const gone = new ClientError('HTTP', 'createSearches failed', { status: 404, error: 'Device not found' })
  expect(readRefusal(gone)).toEqual({ fields: {}, rest: gone })
})

it('searches for files that meet the choices, also without a text', () => {
  const draft = { ...emptySearch, files: { kind: 'video', days: '7', minBytes: '1000000', sort: '-size' } }
  expect(checkSearch(draft)).toEqual({})
  expect(checkSearch({ ...draft, files: { ...emptySearch.files, sort: 'name' } })).toHaveProperty('query')
  const where = { kind: ['video'], minBytes: 1_000_000, modifiedAfter: '2026-01-01T00:00:00.000Z' }
  expect(toSearchBody(draft, Date.parse('2026-01-08T00:00:00Z'))).toMatchObject({
    query: '',
    where,
    sort: '-size',
  })
  expect(describeSelection({ where, sort: '-size' }, String)).toMatch(
    /^videos, 1000000 or more, changed since .*, largest first$/,
  )
})

it('searches all devices that the filter matches, unless some are chosen', () => {
  const draft = {
    ...emptySearch,
    query: ' invoice ',
    filter: { ...everyDevice, status: 'online', label: 'shop' },
  }
  expect(checkSearch(draft)).toEqual({})
  expect(toSearchBody(draft)).toMatchObject({
    query: 'invoice',
    filter: { status: 'online', labels: ['shop'] },
  })
  expect(toSearchBody({ ...draft, deviceIds: new Set(['pi']) })).toEqual({
    query: 'invoice',
    scope: ['files'],
    deviceIds: ['pi'],
    ttlSeconds: 86_400,
  })
})

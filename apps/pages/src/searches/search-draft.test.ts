import { ClientError } from '@homeward/contract/client'
import { expect, it } from 'vitest'
import { everyDevice } from '../devices/device-filter.ts'
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

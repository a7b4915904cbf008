import { expect, it } from 'vitest'
import { describeFilter, describeGroup } from './describe-group.ts'

it('says in one line how a search on many devices goes', () => {
  const counts = { pending: 499, completed: 3, failed: 1 }
  expect(describeGroup({ total: 503, counts })).toBe('503 devices · 3 answered · 1 failed · 499 waiting')
  expect(describeGroup({ total: 503, counts, filesFound: 12 })).toBe(
    '503 devices · 3 answered · 12 files · 1 failed · 499 waiting',
  )
  expect(describeGroup({ total: 1, counts: { pending: 0, completed: 1, failed: 0 } })).toBe(
    '1 device · 1 answered',
  )
  expect(describeGroup({ total: 0, counts: { pending: 0, completed: 0, failed: 0 } })).toBe(
    'no device matched',
  )
})

it('says in words which devices a filter matches', () => {
  expect(describeFilter({})).toBe('all devices')
  expect(describeFilter({ status: 'online', platform: 'linux', labels: ['shop', 'site:oslo'] })).toBe(
    'all online linux devices labeled shop, site:oslo',
  )
  expect(describeFilter({ text: 'till' })).toBe('all devices with “till” in the name, id or metadata')
})

import type { SearchQuery } from '@homeward/contract/device-cloud'
import { expect, it } from 'vitest'
import { countRows, pickResults, toResultRows, usualOrder } from './result-rows.ts'

const search = (device: string, results: SearchQuery['results']): SearchQuery => ({
  id: `search on ${device}`,
  device: { id: device, name: device.toUpperCase() },
  query: 'invoice',
  scope: ['files'],
  results,
  status: 'completed',
  createdAt: '2026-01-01T00:00:00Z',
  completedAt: null,
})
const file = (name: string, size: number, modified: string) => ({ name, path: `/a/${name}`, size, modified })
const rows = toResultRows([
  search('nas', {
    files: [
      file('invoice-10.pdf', 5, '2026-01-02T00:00:00Z'),
      file('invoice-9.pdf', 9, '2026-01-03T00:00:00Z'),
    ],
    apps: [{ name: 'Ledger', path: '/opt/ledger', running: true }],
  }),
  search('pi', {
    files: [file('Invoice-1.txt', 7, '2026-01-01T00:00:00Z')],
    printers: [{ name: 'Office', pages: 3 }, 'spare'],
    truncated: { files: true },
  }),
  search('gone', null),
])
const any = { text: '', on: 'all', kind: 'all', sort: '' }
const namesOf = (filter: Partial<typeof any>) =>
  pickResults(rows, { ...any, ...filter }, 'invoice-1').map(({ name }) => name)

it('merges what devices found into one list, with the scopes of integrators', () => {
  expect(rows.map(({ device, scope, name }) => `${device.name} ${scope} ${name}`)).toEqual([
    'NAS files invoice-10.pdf',
    'NAS files invoice-9.pdf',
    'NAS apps Ledger',
    'PI files Invoice-1.txt',
    'PI printers Office',
    'PI printers printers',
  ])
  expect(rows.map(({ detail }) => detail).slice(-2)).toEqual(['{"name":"Office","pages":3}', 'spare'])
  expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length)
})

it('narrows results by all words, by device and by kind, whatever the case', () => {
  expect(namesOf({ text: 'INVOICE pi' })).toEqual(['Invoice-1.txt'])
  expect(namesOf({ on: 'nas', kind: 'files' })).toHaveLength(2)
  expect(namesOf({ text: 'nothing' })).toEqual([])
})

it('sorts results by name as people count, by time and by size', () => {
  const kind = 'files'
  expect(namesOf({ kind, sort: 'name' })).toEqual(['Invoice-1.txt', 'invoice-9.pdf', 'invoice-10.pdf'])
  expect(namesOf({ kind, sort: 'newest' })).toEqual(['invoice-9.pdf', 'invoice-10.pdf', 'Invoice-1.txt'])
  expect(namesOf({ kind, sort: 'largest' })).toEqual(['invoice-9.pdf', 'Invoice-1.txt', 'invoice-10.pdf'])
})

it('puts names first that fit the search best, and newer ones first among equals', () => {
  expect(namesOf({}).slice(0, 3)).toEqual(['Invoice-1.txt', 'invoice-10.pdf', 'invoice-9.pdf'])
  expect([usualOrder(undefined), usualOrder('-size'), usualOrder('later')]).toEqual([
    'best',
    'largest',
    'best',
  ])
})

it('counts results by device, the most first', () => {
  expect(countRows(rows, ({ device }) => [device.id, device.name])).toEqual([
    { value: 'nas', label: 'NAS', count: 3 },
    { value: 'pi', label: 'PI', count: 3 },
  ])
})

it('marks files of a device that has not answered with the time of its list', () => {
  const asOf = '2026-01-01T00:00:00.000Z'
  const files = [file('contract.pdf', 5, asOf)]
  const [listed] = toResultRows([search('laptop', { files, source: 'catalog', asOf })])
  const [found] = toResultRows([search('nas', { files, source: 'index', asOf })])
  expect([listed?.listedAt, found?.listedAt]).toEqual([asOf, undefined])
})

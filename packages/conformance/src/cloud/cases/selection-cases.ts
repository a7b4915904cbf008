import { check } from '../../conformance-case.ts'
import { operations } from '../../references.ts'
import { type CloudCase, expectStatus, rowsIn } from '../cloud-trial.ts'

const file = (name: string, size: number, modified: string) => ({ path: `/a/${name}`, name, size, modified })
const files = [
  file('b.txt', 3, '2026-01-01T00:00:00Z'),
  file('b.mp4', 9, '2026-01-02T00:00:00Z'),
  file('b.pdf', 5, '2026-01-03T00:00:00Z'),
]

/** What clouds do with `where`, `sort` and `limit`. */
export const selectionCases: readonly CloudCase[] = [
  {
    id: 'search-selection',
    title: '"where", "sort" and "limit" reach the device, and are applied to what it reports.',
    holds: operations.createSearches,
    async run(trial) {
      const device = await trial.register()
      const selection = { where: { kind: ['document'] }, sort: '-modified', limit: 1 }
      const json = { query: 'b', scope: ['files'], deviceIds: [device.id], ...selection }
      const created = await trial.call('POST', '/api/devices/search/query', { json })
      expectStatus(created, 'A search with conditions', 200, 201)
      const [row] = rowsIn(await device.call('GET', '/api/devices/search/pending'), 'requests')
      const { where, sort, limit, id } = row ?? {}
      const given = JSON.stringify({ where, sort, limit })
      check(given === JSON.stringify(selection), `The device must get the three fields, got ${given}.`)
      await device.call('POST', '/api/devices/search', { json: { queryId: id, results: { files } } })
      const { results } = await trial.readSearch(String(id))
      const { files: found = [], truncated } = results as { files?: { name: string }[]; truncated?: object }
      const names = found.map(({ name }) => name).join(', ')
      check(names === 'b.pdf', `Of three files, the newest document must be left, got ${names}.`)
      check(
        JSON.stringify(truncated) === '{"files":true}',
        `That there were more must be said, got ${JSON.stringify(truncated)}.`,
      )
    },
  },
  {
    id: 'search-selection-unknown',
    title: 'A condition that is not understood gets 400, and so does an empty text without one.',
    holds: operations.createSearches,
    async run(trial) {
      const { id } = await trial.register()
      const bodies = [{ where: { kind: ['film'] } }, { sort: 'date' }, { limit: 10_001 }, { query: '' }]
      for (const body of bodies) {
        const json = { query: 'b', scope: ['files'], deviceIds: [id], ...body }
        const answer = await trial.call('POST', '/api/devices/search/query', { json })
        expectStatus(answer, JSON.stringify(body), 400)
      }
      const json = { query: '', scope: ['files'], deviceIds: [id], where: { minBytes: 1 } }
      const answer = await trial.call('POST', '/api/devices/search/query', { json })
      expectStatus(answer, 'An empty text with a condition', 200, 201)
    },
  },
]

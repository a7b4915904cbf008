import { isDeepStrictEqual } from 'node:util'
import { check } from '../../conformance-case.ts'
import { operations } from '../../references.ts'
import { type CloudCase, expectStatus } from '../cloud-trial.ts'

/** What clouds do with the text of documents that devices report. */
export const documentCases: readonly CloudCase[] = [
  {
    id: 'search-content-results',
    title: 'Matches inside documents, and the number of documents that were not read, reach the user.',
    holds: operations.results,
    async run(trial) {
      const device = await trial.register()
      const queryId = await trial.addSearch(device, 'deposit', ['content'])
      const matches = [{ text: 'a deposit of three rents', line: 3, page: 2 }]
      const file = { path: '/a/b.pdf', name: 'b.pdf', size: 9, modified: '2026-01-01T00:00:00Z', matches }
      const skipped = [{ reason: 'encrypted', count: 4 }]
      const json = { queryId, results: { files: [file], skipped }, error: null }
      expectStatus(await device.call('POST', '/api/devices/search', { json }), 'The report', 200)
      const { results } = await trial.readSearch(queryId)
      const read = results as { files?: { matches?: unknown }[]; skipped?: unknown } | undefined
      const given = [read?.files?.[0]?.matches, read?.skipped]
      check(
        isDeepStrictEqual(given, [matches, skipped]),
        `Matches and "skipped" must be returned, got ${JSON.stringify(given)}.`,
      )
    },
  },
]

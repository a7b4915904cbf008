import { check } from '../../conformance-case.ts'
import { decisions, operations } from '../../references.ts'
import {
  type CloudCase,
  type CloudTrial,
  expectError,
  expectStatus,
  type OwnDevice,
  rowsIn,
} from '../cloud-trial.ts'

const files = [{ path: '/a/b.txt', name: 'b.txt', size: 3, modified: '2026-01-02T03:04:05Z' }]

const report = (device: OwnDevice, queryId: string, json: object = { results: { files }, error: null }) =>
  device.call('POST', '/api/devices/search', { json: { queryId, ...json } })

async function pendingIds(device: OwnDevice): Promise<readonly unknown[]> {
  return rowsIn(await device.call('GET', '/api/devices/search/pending'), 'requests').map(({ id }) => id)
}

async function withSearch(trial: CloudTrial, query = 'b.txt'): Promise<{ device: OwnDevice; id: string }> {
  const device = await trial.register()
  return { device, id: await trial.addSearch(device, query) }
}

/** Searches, from their creation to their results. */
export const searchCases: readonly CloudCase[] = [
  {
    id: 'search-created',
    title: 'A search makes one pending query for each device.',
    holds: operations.createSearches,
    async run(trial) {
      const deviceIds = [(await trial.register()).id, (await trial.register()).id]
      const answer = await trial.call('POST', '/api/devices/search/query', {
        json: { query: 'a', scope: ['files'], deviceIds },
      })
      expectStatus(answer, 'A search', 200, 201)
      check(
        answer.body['success'] === true && typeof answer.body['message'] === 'string',
        'The answer must have "success" and "message".',
      )
      const rows = rowsIn(answer, 'searchQueries')
      check(
        rows.length === 2 && rows.every(({ status }) => status === 'pending'),
        'There must be two queries that are pending.',
      )
      check(
        deviceIds.every((id) => rows.some(({ deviceId }) => deviceId === id)),
        'Each query must name its device.',
      )
    },
  },
  {
    id: 'search-for-unknown-device',
    title: 'A search for a device that does not exist gets 404.',
    holds: operations.createSearches,
    async run(trial) {
      const json = { query: 'a', scope: ['files'], deviceIds: ['no-such-device'] }
      const answer = await trial.call('POST', '/api/devices/search/query', { json })
      expectError(answer, 'a search for an unknown device', 404, 'Device not found')
    },
  },
  {
    id: 'search-pending',
    title: 'The device finds the search in its list, with the text as it was given.',
    holds: decisions.searchText,
    async run(trial) {
      const { device, id } = await withSearch(trial, ' tab\tand 🦊 ')
      const [row] = rowsIn(await device.call('GET', '/api/devices/search/pending'), 'requests')
      check(row?.['id'] === id, 'The list must have the search.')
      check(
        row['query'] === ' tab\tand 🦊 ',
        `"query" must be unchanged, got ${JSON.stringify(row['query'])}.`,
      )
      check(
        JSON.stringify(row['scope']) === '["files"]',
        `"scope" must be ["files"], got ${JSON.stringify(row['scope'])}.`,
      )
      check(!Number.isNaN(Date.parse(String(row['createdAt']))), '"createdAt" must be an ISO 8601 time.')
    },
  },
  {
    id: 'search-of-others',
    title: 'A device sees no search of another device, and cannot report it.',
    holds: operations.report,
    async run(trial) {
      const { id } = await withSearch(trial)
      const other = await trial.register()
      check((await pendingIds(other)).length === 0, 'The list of another device must be empty.')
      const { status } = await report(other, id)
      const unknown = await report(other, 'no-such-search')
      check(
        status === 404 && unknown.status === 404,
        `Reports of others and unknown ones must get 404, got ${status} and ${unknown.status}.`,
      )
      check((await trial.readSearch(id))['status'] === 'pending', 'The search must still be pending.')
    },
  },
  {
    id: 'search-completed',
    title: 'A report completes the search; the user reads its results, and the device no longer finds it.',
    holds: operations.report,
    async run(trial) {
      const { device, id } = await withSearch(trial)
      const { status, body } = await report(device, id)
      check(
        status === 200 && body['success'] === true,
        `A report must get 200 and "success": true, got ${status}.`,
      )
      check(
        body['queryId'] === id && body['status'] === 'completed',
        'The answer must have "queryId" and "status": "completed".',
      )
      const row = await trial.readSearch(id)
      check(
        row['status'] === 'completed',
        `The search must be completed, got ${JSON.stringify(row['status'])}.`,
      )
      const found = (row['results'] as { readonly files?: unknown } | null)?.files
      check(JSON.stringify(found) === JSON.stringify(files), '"results.files" must be what was reported.')
      check(
        (row['device'] as { readonly id?: unknown } | null)?.id === device.id,
        '"device.id" must be the device.',
      )
      check(!Number.isNaN(Date.parse(String(row['completedAt']))), '"completedAt" must be an ISO 8601 time.')
      check(!(await pendingIds(device)).includes(id), 'A completed search must not be listed for the device.')
    },
  },
  {
    id: 'search-failed',
    title: 'A report with an error fails the search, and is acknowledged with it.',
    holds: operations.report,
    async run(trial) {
      const { device, id } = await withSearch(trial)
      const { body } = await report(device, id, { results: { files }, error: 'the disk is gone' })
      check(
        body['success'] === false && body['status'] === 'failed',
        'The answer must have "success": false and "status": "failed".',
      )
      check(
        body['error'] === 'the disk is gone' && body['queryId'] === id,
        'The answer must have "queryId" and "error".',
      )
      check((await trial.readSearch(id))['status'] === 'failed', 'The search must have the status "failed".')
    },
  },
  {
    id: 'report-without-outcome',
    title: 'A report with neither results nor an error is a validation error and changes nothing.',
    holds: operations.report,
    async run(trial) {
      const { device, id } = await withSearch(trial)
      expectError(await report(device, id, {}), 'an empty report', 400, 'Validation error')
      check((await trial.readSearch(id))['status'] === 'pending', 'The search must still be pending.')
    },
  },
  {
    id: 'first-report-counts',
    title: 'The first report settles the search; later and concurrent ones get its outcome.',
    holds: decisions.firstReport,
    async run(trial) {
      const { device, id } = await withSearch(trial)
      const reports = Array.from({ length: 6 }, (_, at) =>
        report(device, id, { results: { files: [{ ...files[0], size: at }] } }),
      )
      for (const answer of await Promise.all(reports)) expectStatus(answer, 'A concurrent report', 200)
      const before = JSON.stringify((await trial.readSearch(id))['results'])
      const { status, body } = await report(device, id, { results: null, error: 'too late' })
      check(
        status === 200 && body['status'] === 'completed',
        'A later report must get 200 with the stored outcome.',
      )
      check(
        JSON.stringify((await trial.readSearch(id))['results']) === before,
        'A later report must change nothing.',
      )
    },
  },
  {
    id: 'search-filters',
    title: 'The list of searches filters by queryId, deviceId and status.',
    holds: operations.listSearches,
    async run(trial) {
      const { device, id } = await withSearch(trial)
      const done = await trial.addSearch(device, 'b.txt')
      await report(device, done)
      const ids = async (query: string) => {
        const answer = await trial.call('GET', `/api/devices/search/query?deviceId=${device.id}${query}`)
        return rowsIn(answer, 'results').map((row) => row['id'])
      }
      check((await ids('')).length === 2, '"deviceId" must give both searches of the device.')
      check(
        String(await ids('&status=pending')) === id,
        '"status=pending" must give the pending search only.',
      )
      check(
        String(await ids('&status=completed')) === done,
        '"status=completed" must give the completed search only.',
      )
      check(String(await ids(`&queryId=${done}`)) === done, '"queryId" must give that search only.')
    },
  },
]

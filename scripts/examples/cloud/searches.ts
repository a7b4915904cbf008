import type { deviceCloudOperations } from '@homeward/contract/device-cloud'
import { firstOf, type Recorder } from '../recorder.ts'

/** Recorder of the device cloud. */
export type CloudRecorder = Recorder<typeof deviceCloudOperations>

/** A device, and the header that shows who it is. */
export interface RecordedDevice {
  readonly id: string
  readonly headers: Readonly<Record<string, string>>
}

/** Records the stream of events. */
export async function recordStream({ record, send }: CloudRecorder, pi: RecordedDevice): Promise<void> {
  await record('streamDeviceEvents', {
    until: /event: search\.settled\ndata: .*\n\n/,
    async whenOpen() {
      const search = { query: 'report', scope: ['files'], deviceIds: [pi.id] }
      const { searchQueries } = await send('createSearches', { body: search })
      const body = { queryId: firstOf(searchQueries).id, results: { files: [] }, error: null }
      await send('reportSearch', { headers: pi.headers, body })
    },
  })
}

/** How a device asks for all of its work at once. */
export async function recordWork({ record, send }: CloudRecorder, pi: RecordedDevice): Promise<void> {
  const { headers } = pi
  const metadata = { os: 'Linux', version: '6.12', hardware: 'Raspberry Pi 5' }
  const search = { query: 'invoice', scope: ['files'], deviceIds: [pi.id] }
  const { searchQueries } = await send('createSearches', { body: search })
  const { id } = firstOf(searchQueries)
  await record('takeWork', { headers: { ...headers, Prefer: 'wait=270' }, body: { metadata, working: [] } })
  await record('streamWork', { headers, until: /event: search\ndata: .*\n\n/ })
  await send('reportSearch', { headers, body: { queryId: id, results: { files: [] }, error: null } })
  await record('listOwnAudit', { headers })
}

/** A file that searches find. */
export const invoice = {
  path: '/home/ann/Documents/invoice-0417.pdf',
  name: 'invoice-0417.pdf',
  size: 48_213,
  modified: '2026-10-28T16:05:00.000Z',
}
const laterInvoice = {
  path: '/home/ann/Documents/invoice-0418.pdf',
  name: 'invoice-0418.pdf',
  size: 51_090,
  modified: '2026-11-01T09:12:00.000Z',
}

/** Records searches and their groups. */
export async function recordSearches({ record, send }: CloudRecorder, pi: RecordedDevice): Promise<void> {
  const search = {
    query: 'invoice',
    scope: ['files'],
    where: { kind: ['document'], modifiedAfter: '2026-01-01T00:00:00Z' },
    sort: '-modified',
    deviceIds: [pi.id],
  }
  const { groupId } = await record('createSearches', { body: search })
  const { requests } = await record('listPendingSearches', { headers: { ...pi.headers, Prefer: 'wait=25' } })
  await record('reportSearch', {
    headers: pi.headers,
    body: { queryId: firstOf(requests).id, results: { files: [invoice] }, error: null },
  })
  await record('listSearches', { query: { groupId } })
  await record('listSearchGroups', { query: { limit: '10' } })
  await record('getSearchGroup', { params: { id: groupId } })
  await record('exportSearchGroup', { params: { id: groupId }, query: { format: 'csv' } })
  await record('deleteSearchGroup', { params: { id: groupId } })
  const canceled = await send('createSearches', { body: { ...search, query: 'receipt' } })
  await record('deleteSearch', { params: { id: firstOf(canceled.searchQueries).id } })
}

/** Records saved searches, with two runs that differ. */
export async function recordSavedSearches(
  { record, send }: CloudRecorder,
  pi: RecordedDevice,
): Promise<void> {
  const search = {
    name: 'New invoices',
    query: 'invoice',
    scope: ['files'],
    filter: { labels: ['home/kitchen'] },
    schedule: '0 9 * * 1-5',
    timezone: 'Europe/Berlin',
  }
  const { savedSearch } = await record('createSavedSearch', { body: search })
  const params = { id: savedSearch.id }
  await record('listSavedSearches')
  await record('getSavedSearch', { params })
  await record('updateSavedSearch', { params, body: { ...search, schedule: '0 8 * * 1-5' } })
  for (const files of [[invoice], [invoice, laterInvoice]]) {
    await record('runSavedSearch', { params })
    const { requests } = await send('listPendingSearches', { headers: { ...pi.headers, Prefer: 'wait=25' } })
    const report = { queryId: firstOf(requests).id, results: { files }, error: null }
    await send('reportSearch', { headers: pi.headers, body: report })
  }
  await record('listSavedSearchChanges', { params })
  await record('deleteSavedSearch', { params })
}

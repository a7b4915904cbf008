import type { ReplyOf } from '@homeward/contract'
import type { DeviceCloudOperations, SearchReport } from '@homeward/contract/device-cloud'
import { HttpError, validationError } from '@homeward/contract/handler'
import type { SearchContext } from './search-context.ts'
import { readPending, withActor, type PendingPoll } from '../delivery/read-pending.ts'
import type { StoredDevice } from '../ports/device-store.ts'
import type { SearchOutcome } from '../ports/search-store.ts'
import { cutResults, selectResults } from './select-results.ts'

type Reply<Id extends keyof DeviceCloudOperations> = ReplyOf<DeviceCloudOperations[Id]>

const pollLimit = 20

/** What devices do with searches. Each call throws {@link HttpError} as the interface documents it. */
export function createSearchDelivery(context: SearchContext) {
  const { store, resultFiles, polls, settledGroups, clock, emit } = context

  return {
    /** Searches that wait for a device; held while there are none, if it may be (C11, C22). */
    async listPendingSearches(poll: PendingPoll): Promise<Reply<'listPendingSearches'>> {
      const read = () => store.listPendingSearches(poll.device.id, pollLimit, clock().at)
      return { requests: (await readPending(polls, poll, read)).map(withActor) }
    },

    /** Settles a search, once; every later report gets the stored outcome (C7, C8, C9). */
    async reportSearch(device: StoredDevice, report: SearchReport): Promise<Reply<'reportSearch'>> {
      const { queryId } = report
      const settle = async (results: SearchReport['results'], isSelected: boolean) => {
        const written = await resultFiles.write(toOutcome({ ...report, results }))
        const which = { id: queryId, deviceId: device.id, isSelected, now: clock().at }
        const answer = await store.settleSearch({ ...which, outcome: written })
        if (answer.kind !== 'settled') await resultFiles.discard(written)
        return { outcome: written, settled: answer }
      }
      const place = { isWindows: device.platform === 'windows' }
      let { outcome, settled } = await settle(report.results && cutResults(report.results), false)
      if (settled.kind === 'selects') {
        const results = report.results && selectResults(report.results, settled, place)
        ;({ outcome, settled } = await settle(results, true))
      }
      if (settled.kind === 'unknown' || settled.kind === 'selects')
        throw new HttpError(404, { error: 'Search query not found' })
      const { status, error } = settled.kind === 'already' ? settled : outcome
      if (settled.kind === 'settled') {
        emit('search:settled', {
          searchId: queryId,
          deviceId: device.id,
          userId: device.owner,
          status,
          outcome: status,
        })
        if (settled.groupId !== undefined) settledGroups.note(settled.groupId)
      }
      return status === 'completed'
        ? { success: true, queryId, status }
        : { success: false, queryId, status, error: error ?? 'failed' }
    },
  }
}

function toOutcome({ error, results = null }: SearchReport): SearchOutcome {
  const reason = error?.trim() ?? ''
  const filesFound = results?.files?.length ?? 0
  if (reason !== '') return { status: 'failed', results, filesFound, error: reason }
  if (results === null) throw validationError('results: is missing. Send the results, or a non-empty error.')
  return { status: 'completed', results, filesFound, error: null }
}

import type { DeviceCloudOperations, SearchReport } from '@homeward/contract/device-cloud'
import type { BodyOf, QueryOf, ReplyOf } from '@homeward/contract'
import { HttpError, validationError } from '@homeward/contract/handler'
import { deviceNotFound, toTimestamp, type CloudContext, type UserCall } from '../cloud-context.ts'
import { repeatedReply, toOnce } from '../idempotency/once.ts'
import { nextCursorOf, toPageRequest } from '../paging/cursor.ts'
import type { StoredDevice } from '../ports/device-store.ts'
import type { SearchOutcome, StoredSearch } from '../ports/search-store.ts'

type Reply<Id extends keyof DeviceCloudOperations> = ReplyOf<DeviceCloudOperations[Id]>

const defaultTtlSeconds = 24 * 60 * 60
const pollLimit = 20

/** What users and devices do with searches. Each call throws {@link HttpError} as the interface documents it. */
export function createSearchOperations(context: CloudContext) {
  const { store, polls, now, createId, emit } = context

  return {
    /** Creates one search for each device: for all of them, or for none (C10, C20). */
    async createSearches(
      call: UserCall,
      body: BodyOf<DeviceCloudOperations['createSearches']>,
    ): Promise<Reply<'createSearches'>> {
      const { userId } = call
      const { query, scope, ttlSeconds = defaultTtlSeconds } = body
      const nowMs = now()
      const times = { createdAt: toTimestamp(nowMs), expiresAt: toTimestamp(nowMs + ttlSeconds * 1000) }
      const deviceIds = [...new Set(body.deviceIds)]
      const searches = deviceIds.map((deviceId) => ({ id: createId(), deviceId, query, scope, ...times }))
      const reply: Reply<'createSearches'> = {
        success: true,
        searchQueries: searches.map(({ id, deviceId }) => ({ id, deviceId, status: 'pending' as const })),
        message: `Search created for ${searches.length} ${searches.length === 1 ? 'device' : 'devices'}`,
      }
      const creation = {
        scope: JSON.stringify([userId, 'createSearches']),
        request: body,
        reply: JSON.stringify(reply),
        nowMs,
      }
      const once = toOnce(call.idempotencyKey, creation)
      const outcome = await store.insertSearches(userId, searches, once)
      if (outcome.kind === 'unknown_device') throw deviceNotFound()
      const repeated = repeatedReply(outcome, once)
      if (repeated !== undefined) return JSON.parse(repeated) as Reply<'createSearches'>
      polls.announce(deviceIds)
      for (const { id, deviceId } of searches) emit('search:created', { searchId: id, deviceId, userId })
      return reply
    },

    /** Lists a user's searches with their results, newest first (C10, C11). */
    async listSearches(
      call: UserCall,
      query: QueryOf<DeviceCloudOperations['listSearches']> = {},
    ): Promise<Reply<'listSearches'>> {
      const { queryId, deviceId, status } = query
      const filter = { ...(queryId && { queryId }), ...(deviceId && { deviceId }), ...(status && { status }) }
      const page = await store.listSearches(
        call.userId,
        filter,
        toPageRequest(query, 100),
        toTimestamp(now()),
      )
      return { results: page.rows.map(toSearchQuery), ...nextCursorOf(page) }
    },

    /** Searches that wait for a device; held up to `waitSeconds` while there are none (C11, C22). */
    async listPendingSearches(
      device: StoredDevice,
      waitSeconds: number | undefined,
      signal: () => AbortSignal,
    ): Promise<Reply<'listPendingSearches'>> {
      const read = () => store.listPendingSearches(device.id, pollLimit, toTimestamp(now()))
      const rows = waitSeconds
        ? await polls.hold(device.id, waitSeconds * 1000, signal(), read)
        : await read()
      return { requests: [...rows] }
    },

    /** Settles a search, once; every later report gets the stored outcome (C7, C8, C9). */
    async reportSearch(device: StoredDevice, report: SearchReport): Promise<Reply<'reportSearch'>> {
      const outcome = toOutcome(report)
      const { queryId } = report
      const settled = await store.settleSearch({
        id: queryId,
        deviceId: device.id,
        outcome,
        now: toTimestamp(now()),
      })
      if (settled.kind === 'unknown') throw new HttpError(404, { error: 'Search query not found' })
      const { status, error } = settled.kind === 'already' ? settled : outcome
      if (settled.kind === 'settled') {
        emit('search:settled', { searchId: queryId, deviceId: device.id, userId: device.owner, status })
      }
      return status === 'completed'
        ? { success: true, queryId, status }
        : { success: false, queryId, status, error: error ?? 'failed' }
    },
  }
}

function toOutcome({ error, results = null }: SearchReport): SearchOutcome {
  const reason = error?.trim() ?? ''
  if (reason !== '') return { status: 'failed', results, error: reason }
  if (results === null)
    throw validationError('results: is missing. Send what was found, or a non-empty error.')
  return { status: 'completed', results, error: null }
}

function toSearchQuery(row: StoredSearch): Reply<'listSearches'>['results'][number] {
  const { id, deviceId, deviceName, query, scope, results, status, createdAt, completedAt, error } = row
  return {
    id,
    device: { id: deviceId, name: deviceName },
    query,
    scope: [...scope],
    results,
    status,
    createdAt,
    completedAt,
    ...(error === null ? undefined : { error }),
  }
}

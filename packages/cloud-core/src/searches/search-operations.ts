import type { DeviceCloudOperations } from '@homeward/contract/device-cloud'
import type { BodyOf, QueryOf, ReplyOf } from '@homeward/contract'
import { readBoundedPage } from '@homeward/contract/handler'
import { toTimestamp, type CloudContext, type UserCall } from '../cloud-context.ts'
import { createWork } from '../delivery/create-work.ts'
import { nextCursorOf, toPageRequest } from '../paging/cursor.ts'
import { onlyOne } from '../audit/only-one.ts'
import type { StoredSearch } from '../ports/search-store.ts'

type Reply<Id extends keyof DeviceCloudOperations> = ReplyOf<DeviceCloudOperations[Id]>

const defaultTtlSeconds = 24 * 60 * 60

/** What users do with searches. Each call throws `HttpError` as the interface documents it. */
export function createSearchOperations(context: CloudContext) {
  const { store, now, createId, emit, audit } = context

  async function create(
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
    const entries = searches.map(({ id, deviceId }) =>
      audit.entryOf(call, 'search:created', { deviceId, subjectId: id }),
    )
    return createWork(context, call, {
      operation: 'createSearches',
      request: body,
      reply,
      nowMs,
      deviceIds,
      entries,
      insert: (once) => store.insertSearches(userId, searches, once, entries),
      tell() {
        for (const { id, deviceId } of searches) emit('search:created', { searchId: id, deviceId, userId })
      },
    })
  }

  return {
    /** Creates one search for each device: for all of them, or for none (C10, C20). */
    createSearches: (call: UserCall, body: BodyOf<DeviceCloudOperations['createSearches']>) =>
      audit.watch(call, 'search:created', { deviceId: onlyOne(body.deviceIds) }, () => create(call, body)),

    /** Lists a user's searches with their results, newest first (C10, C11). */
    async listSearches(
      call: UserCall,
      query: QueryOf<DeviceCloudOperations['listSearches']> = {},
    ): Promise<Reply<'listSearches'>> {
      const { queryId, deviceId, status } = query
      const filter = { ...(queryId && { queryId }), ...(deviceId && { deviceId }), ...(status && { status }) }
      const time = toTimestamp(now())
      const { limit, after: first } = toPageRequest(query, 100)
      // Devices choose how large their results are: a page of the largest ones would fill the memory.
      const page = await readBoundedPage({
        limit,
        after: first,
        read: (part, after) =>
          store.listSearches(call.userId, filter, { limit: part, ...(after && { after }) }, time),
      })
      return { results: page.rows.map(toSearchQuery), ...nextCursorOf(page) }
    },
  }
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

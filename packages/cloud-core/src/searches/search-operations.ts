import type { DeviceCloudOperations } from '@homeward/contract/device-cloud'
import type { BodyOf, QueryOf, ReplyOf } from '@homeward/contract'
import { readBoundedPage } from '@homeward/contract/handler'
import { toTimestamp, type CloudContext, type UserCall } from '../cloud-context.ts'
import { createWork, whileDevicesChange } from '../delivery/create-work.ts'
import { nextCursorOf, toPageRequest } from '../paging/cursor.ts'
import { subjectOf } from '../audit/audit-log.ts'
import { createDeviceFinder } from '../devices/find-devices.ts'
import { findTarget, toAuditedTarget } from './find-target.ts'
import type { StoredSearch } from '../ports/search-store.ts'

type Reply<Id extends keyof DeviceCloudOperations> = ReplyOf<DeviceCloudOperations[Id]>

const defaultTtlSeconds = 24 * 60 * 60

/** What users do with searches. Each call throws `HttpError` as the interface documents it. */
export function createSearchOperations(context: CloudContext) {
  const { store, resultFiles, now, createId, emit, audit, settledGroups } = context
  const finder = createDeviceFinder(context)

  async function create(
    call: UserCall,
    body: BodyOf<DeviceCloudOperations['createSearches']>,
  ): Promise<Reply<'createSearches'>> {
    const { userId } = call
    const { query, scope, ttlSeconds = defaultTtlSeconds } = body
    const nowMs = now()
    const times = { createdAt: toTimestamp(nowMs), expiresAt: toTimestamp(nowMs + ttlSeconds * 1000) }
    const target = await findTarget(finder, userId, body)
    const { deviceIds, filter, rest, count } = target
    const groupId = createId()
    const searches = deviceIds.map((deviceId) => ({
      id: createId(),
      deviceId,
      groupId,
      query,
      scope,
      ...times,
    }))
    const kind = 'search' as const
    const group = { id: groupId, kind, query, scope, ...times, filter, savedSearchId: null, rest }
    const reply: Reply<'createSearches'> = {
      success: true,
      groupId,
      searchQueries: searches.map(({ id, deviceId }) => ({ id, deviceId, status: 'pending' as const })),
      message: `Search created for ${count} ${count === 1 ? 'device' : 'devices'}`,
    }
    const subject = subjectOf(groupId, searches, toAuditedTarget(target))
    const entries = [audit.entryOf(call, 'search:created', subject)]
    return createWork(context, call, {
      operation: 'createSearches',
      request: body,
      reply,
      nowMs,
      deviceIds,
      isPartial: rest !== null,
      entries,
      insert: (once) => store.insertSearches(userId, searches, once, entries, group),
      tell() {
        for (const { id, deviceId } of searches) emit('search:created', { searchId: id, deviceId, userId })
        if (searches.length === 0) settledGroups.note(groupId)
        settledGroups.expect(Date.parse(times.expiresAt))
      },
    })
  }

  return {
    /** Creates one search for each device: for all of them, or for none (C10, C20). */
    createSearches: (call: UserCall, body: BodyOf<DeviceCloudOperations['createSearches']>) =>
      whileDevicesChange(body, () => create(call, body)),

    /** Lists a user's searches with their results, newest first (C10, C11). */
    async listSearches(
      call: UserCall,
      query: QueryOf<DeviceCloudOperations['listSearches']> = {},
    ): Promise<Reply<'listSearches'>> {
      const { queryId, deviceId, groupId, status } = query
      const filter = {
        ...(queryId && { queryId }),
        ...(deviceId && { deviceId }),
        ...(groupId && { groupId }),
        ...(status && { status }),
      }
      const time = toTimestamp(now())
      const { limit, after: first } = toPageRequest(query, 100)
      // Devices choose how large their results are: a page of the largest ones would fill the memory.
      const page = await readBoundedPage({
        limit,
        after: first,
        async read(part, after) {
          const found = await store.listSearches(
            call.userId,
            filter,
            { limit: part, ...(after && { after }) },
            time,
          )
          return { ...found, rows: await resultFiles.read(found.rows) }
        },
      })
      return { results: page.rows.map(toSearchQuery), ...nextCursorOf(page) }
    },
  }
}

function toSearchQuery(row: StoredSearch): Reply<'listSearches'>['results'][number] {
  const { id, deviceId, deviceName, groupId, query, scope, results, status, createdAt, completedAt, error } =
    row
  return {
    id,
    device: { id: deviceId, name: deviceName },
    ...(groupId === null ? undefined : { groupId }),
    query,
    scope: [...scope],
    results,
    ...(row.resultsGone && { resultsGone: true as const }),
    status,
    createdAt,
    completedAt,
    ...(error === null ? undefined : { error }),
  }
}

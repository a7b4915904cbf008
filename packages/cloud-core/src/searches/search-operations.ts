import { type DeviceCloudOperations, quotaExceededError, toSelection } from '@homeward/contract/device-cloud'
import type { BodyOf, QueryOf, ReplyOf } from '@homeward/contract'
import { readBoundedPage } from '@homeward/contract/handler'
import { toTimestamp } from '../context/time.ts'
import type { UserCall } from '../context/cloud-context.ts'
import type { SearchContext } from './search-context.ts'
import { orRepeat, repeatedReply, toOnce } from '../idempotency/once.ts'
import { nextCursorOf, toPageRequest } from '../paging/cursor.ts'
import { subjectOf } from '../audit/audit-log.ts'
import { createDeviceFinder, deviceNotFound } from '../devices/find-devices.ts'
import { findTarget, toAuditedTarget, whileDevicesChange, type WorkTarget } from './find-target.ts'
import type { NewGroup } from '../ports/group-store.ts'
import type { NewSearch, StoredSearch } from '../ports/search-store.ts'

type Reply<Id extends keyof DeviceCloudOperations> = ReplyOf<DeviceCloudOperations[Id]>

const defaultTtlSeconds = 24 * 60 * 60

/** What users do with searches. Each call throws `HttpError` as the interface documents it. */
export function createSearchOperations(context: SearchContext) {
  const { store, resultFiles, now, createId, emit, audit, polls, groupWork, settledGroups, quotas } = context
  const finder = createDeviceFinder(context)

  async function create(
    call: UserCall,
    body: BodyOf<DeviceCloudOperations['createSearches']>,
  ): Promise<Reply<'createSearches'>> {
    const { userId, idempotencyKey } = call
    const nowMs = now()
    const scope = JSON.stringify([userId, 'createSearches'])
    const target = await findTarget(finder, userId, body)
    const { count } = target
    const wanted = {
      owner: userId,
      kind: 'search',
      isGroup: count !== 1,
      attempt: 'Creating the search',
    } as const
    const refused = await orRepeat(
      store,
      toOnce(idempotencyKey, { scope, request: body, reply: '', nowMs }),
      quotas.refuse({ ...wanted, deviceIds: target.deviceIds }),
    )
    if (typeof refused === 'string') return JSON.parse(refused) as Reply<'createSearches'>
    const { group, searches } = toGroupOfSearches(call, body, { ...target, refused }, createId, nowMs)
    const reply: Reply<'createSearches'> = {
      success: true,
      groupId: group.id,
      searchQueries: searches.map(({ id, deviceId, refused: reason }) => ({
        id,
        deviceId,
        status: reason === undefined ? ('pending' as const) : ('failed' as const),
      })),
      message: `Search created for ${count} ${count === 1 ? 'device' : 'devices'}`,
    }
    const entries = [
      audit.entryOf(call, 'search:created', subjectOf(group.id, searches, toAuditedTarget(target))),
    ]
    const once = toOnce(idempotencyKey, { scope, request: body, reply: JSON.stringify(reply), nowMs })
    const outcome = await store.insertSearches(userId, searches, once, entries, group)
    if (outcome.kind === 'unknown_device') throw deviceNotFound()
    const repeated = repeatedReply(outcome, once)
    // It was written above, by the first of the requests.
    if (repeated !== undefined) return JSON.parse(repeated) as Reply<'createSearches'>
    polls.announce(target.deviceIds)
    if (target.rest !== null) groupWork.wake()
    for (const { id, deviceId } of searches) emit('search:created', { searchId: id, deviceId, userId })
    if (searches.length === refused.size) settledGroups.note(group.id)
    settledGroups.expect(Date.parse(group.expiresAt))
    audit.tell(entries)
    return reply
  }

  return {
    /** Creates one search for each device: for all of them, or for none (C10, C20). */
    createSearches: (call: UserCall, body: BodyOf<DeviceCloudOperations['createSearches']>) =>
      whileDevicesChange(body, () => quotas.inTurn(call.userId, () => create(call, body))),

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
          const rows = await resultFiles.read(found.rows)
          const { catalogAnswers } = context
          const waits = rows.some(({ catalogBlobId }) => catalogBlobId !== undefined)
          return {
            ...found,
            rows: waits && catalogAnswers ? await catalogAnswers.fill(call.userId, rows) : rows,
          }
        },
      })
      return { results: page.rows.map(toSearchQuery), ...nextCursorOf(page) }
    },
  }
}

/** The searches, one for each device, and their group. */
function toGroupOfSearches(
  { actor }: UserCall,
  { ttlSeconds = defaultTtlSeconds, ...body }: BodyOf<DeviceCloudOperations['createSearches']>,
  { deviceIds, filter, rest, refused }: WorkTarget & { readonly refused: ReadonlySet<string> },
  createId: () => string,
  nowMs: number,
): { readonly group: NewGroup; readonly searches: readonly NewSearch[] } {
  const times = { createdAt: toTimestamp(nowMs), expiresAt: toTimestamp(nowMs + ttlSeconds * 1000) }
  const groupId = createId()
  const { query, scope } = body
  const selection = toSelection(body)
  const asked = { query, scope, ...(selection && { selection }), ...(actor && { actor }), ...times }
  const searches = deviceIds.map((deviceId) => ({
    id: createId(),
    deviceId,
    groupId,
    ...asked,
    ...(refused.has(deviceId) && { refused: quotaExceededError }),
  }))
  const kind = 'search' as const
  return {
    group: { id: groupId, kind, ...asked, filter, savedSearchId: null, rest },
    searches,
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
    ...row.selection,
    results,
    ...(row.resultsGone && { resultsGone: true as const }),
    status,
    createdAt,
    completedAt,
    ...(error === null ? undefined : { error }),
  }
}

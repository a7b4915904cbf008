import type { QueryOf, ReplyOf } from '@homeward/contract'
import type { DeviceCloudOperations } from '@homeward/contract/device-cloud'
import { HttpError, type PlainReply, validationError } from '@homeward/contract/handler'
import { attachmentHeader } from '@homeward/kit'
import { toTimestamp } from '../context/time.ts'
import type { UserCall } from '../context/cloud-context.ts'
import type { SearchContext } from './search-context.ts'
import { nextCursorOf, toPageRequest } from '../paging/cursor.ts'
import { toUtc } from '../context/time.ts'
import type { GroupFilter, StoredGroup } from '../ports/group-store.ts'
import { exportGroup } from './export-group.ts'

type Reply<Id extends keyof DeviceCloudOperations> = ReplyOf<DeviceCloudOperations[Id]>

/** Words of a filter by text: each makes the list slower. */
const maxWords = 16

/** Searches that are ended together. */
const endedAtOnce = 100

const groupNotFound = () => new HttpError(404, { error: 'Search group not found' })

/** What users do with groups of searches, and how they end searches. Each call throws `HttpError` as documented. */
export function createGroupOperations(context: SearchContext) {
  const { store, cleaning, resultFiles, groupWork, settledGroups, now, audit, emit } = context

  async function find(userId: string, id: string): Promise<StoredGroup> {
    const group = await store.findGroup(userId, id, toTimestamp(now()))
    if (group === undefined) throw groupNotFound()
    return group
  }

  async function end(call: UserCall, id: string): Promise<Reply<'deleteSearch'>> {
    const { userId } = call
    const entries = {
      canceled: audit.entryOf(call, 'search:canceled', { subjectId: id }),
      erased: audit.entryOf(call, 'search:erased', { subjectId: id }),
    }
    const ended = await store.endSearch(userId, id, toTimestamp(now()), entries)
    if (ended.kind === 'unknown') throw new HttpError(404, { error: 'Search query not found' })
    const { kind, deviceId, groupId } = ended
    await cleaning.removeFiles(ended.blobIds)
    if (kind === 'canceled')
      emit('search:settled', { searchId: id, deviceId, userId, status: 'failed', outcome: 'canceled' })
    if (groupId !== null) settledGroups.note(groupId)
    audit.tell([{ ...entries[kind], deviceId }])
    return { success: true }
  }

  async function remove(call: UserCall, id: string): Promise<Reply<'deleteSearchGroup'>> {
    const { userId } = call
    const entries = [audit.entryOf(call, 'search-group:removed', { subjectId: id })]
    const group = await store.findGroup(userId, id, toTimestamp(now()))
    if (group === undefined) throw groupNotFound()
    if (call.access) await endReached(context, userId, id)
    if (!(await store.removeGroup(userId, id, entries))) throw groupNotFound()
    audit.tell(entries)
    await groupWork.finishRemoval({ id, owner: userId })
    // What is left of it may belong to others: it then settles as they do.
    if (group.counts.pending > 0 && !call.access)
      emit('group:settled', { groupId: id, userId, outcome: 'canceled' })
    return { success: true }
  }

  async function download(
    call: UserCall,
    id: string,
    { format = 'csv' }: Partial<QueryOf<DeviceCloudOperations['exportSearchGroup']>> = {},
  ): Promise<PlainReply> {
    const group = await find(call.userId, id)
    // Recorded before a byte of it is given, as a download is (C24).
    await audit.record([audit.entryOf(call, 'search-group:exported', { subjectId: id })])
    const type = format === 'csv' ? 'text/csv; charset=utf-8; header=present' : 'application/x-ndjson'
    return {
      status: 200,
      body: exportGroup({ store, resultFiles, now, userId: call.userId, groupId: group.id, format }),
      headers: {
        'content-type': type,
        'content-disposition': attachmentHeader(`search-${id}.${format}`),
        'content-security-policy': "sandbox; default-src 'none'",
        'cross-origin-resource-policy': 'same-origin',
        'cache-control': 'private, no-store',
      },
    }
  }

  return {
    /** Lists a user's groups of searches, newest first (C11, C32). */
    async listSearchGroups(
      call: UserCall,
      query: QueryOf<DeviceCloudOperations['listSearchGroups']> = {},
    ): Promise<Reply<'listSearchGroups'>> {
      const filter = toGroupFilter(query)
      const list = Object.keys(filter).length === 0 ? '' : JSON.stringify(filter)
      const request = toPageRequest(query, 20, list)
      const page = await store.listGroups(call.userId, filter, request, toTimestamp(now()))
      return { groups: page.rows.map(toSearchGroup), ...nextCursorOf(page, list) }
    },

    /** Gives a group of searches with its counts (C32). */
    getSearchGroup: async (call: UserCall, id: string): Promise<Reply<'getSearchGroup'>> => ({
      group: toSearchGroup(await find(call.userId, id)),
    }),

    /** Cancels a pending search, or erases a settled one (C32). */
    deleteSearch: end,

    /** Removes a group and ends all of its searches (C32). */
    deleteSearchGroup: remove,

    /** Streams all results of a group as a file (C32). */
    exportSearchGroup: (
      call: UserCall,
      id: string,
      query?: Partial<QueryOf<DeviceCloudOperations['exportSearchGroup']>>,
    ) => download(call, id, query),
  }
}

/** Ends the searches of a group that a caller reaches, and no others. */
async function endReached(
  { store, cleaning, settledGroups, now, emit }: SearchContext,
  userId: string,
  groupId: string,
): Promise<void> {
  for (let isDone = false; !isDone;) {
    const at = toTimestamp(now())
    const { rows, next } = await store.listSearches(userId, { groupId }, { limit: endedAtOnce }, at)
    const ids = rows.map(({ id }) => id)
    const ended = await store.endSearches(userId, ids, at)
    for (const { id: searchId, deviceId } of ended.canceled)
      emit('search:settled', { searchId, deviceId, userId, status: 'failed', outcome: 'canceled' })
    await cleaning.removeFiles(ended.blobIds)
    isDone = next === undefined
  }
  settledGroups.note(groupId)
}

function toGroupFilter({
  text,
  from,
  to,
  status,
  savedSearchId,
}: QueryOf<DeviceCloudOperations['listSearchGroups']>): GroupFilter {
  const words = text?.split(/\s+/).filter(Boolean) ?? []
  if (words.length > maxWords) throw validationError(`text: must have at most ${maxWords} words`)
  return {
    ...(savedSearchId !== undefined && { savedSearchId }),
    ...(words.length > 0 && { words }),
    ...(from !== undefined && { from: toUtc(from) }),
    ...(to !== undefined && { to: toUtc(to) }),
    ...(status !== undefined && { status }),
  }
}

function toSearchGroup(group: StoredGroup): Reply<'getSearchGroup'>['group'] {
  const { id, query, scope, selection, createdAt, filter, savedSearchId, total, counts, filesFound } = group
  return {
    id,
    query,
    scope: [...scope],
    ...selection,
    createdAt,
    ...(filter === null ? undefined : { filter }),
    ...(savedSearchId === null ? undefined : { savedSearchId }),
    total,
    counts: { ...counts },
    filesFound,
  }
}

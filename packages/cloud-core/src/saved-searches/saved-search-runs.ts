import type { QueryOf, ReplyOf } from '@homeward/contract'
import type { DeviceCloudOperations, SearchChange } from '@homeward/contract/device-cloud'
import { readBoundedPage } from '@homeward/contract/handler'
import { toTimestamp } from '../context/time.ts'
import type { UserCall } from '../context/cloud-context.ts'
import type { SearchContext } from '../searches/search-context.ts'
import { createDeviceFinder } from '../devices/find-devices.ts'
import { repeatedReply, toOnce } from '../idempotency/once.ts'
import { nextCursorOf, toPageRequest } from '../paging/cursor.ts'
import type { PagePosition } from '../ports/page.ts'
import type { StoredSearch } from '../ports/search-store.ts'
import { prepareRun } from './prepare-run.ts'
import { savedSearchNotFound } from './saved-search-operations.ts'
import { compareResults } from './compare-results.ts'

type Reply<Id extends keyof DeviceCloudOperations> = ReplyOf<DeviceCloudOperations[Id]>

/** Results that are in memory at once, in bytes; one search can have more. */
const maxBytes = 4 * 1024 * 1024

/** How users run saved searches and see what has changed (C32). Each call throws `HttpError` as documented. */
export function createSavedSearchRuns(context: SearchContext) {
  const { store, resultFiles, audit, groupWork, now, createId } = context
  const finder = createDeviceFinder(context)

  async function run(call: UserCall, id: string): Promise<Reply<'runSavedSearch'>> {
    const { userId, idempotencyKey } = call
    const saved = await store.findSavedSearch(userId, id)
    if (saved === undefined) throw savedSearchNotFound()
    const nowMs = now()
    const { group, audit: entries } = await prepareRun({ saved, finder, audit, createId, nowMs, call })
    const reply = { groupId: group.id }
    const scope = JSON.stringify([userId, 'runSavedSearch'])
    const once = toOnce(idempotencyKey, { scope, request: id, reply: JSON.stringify(reply), nowMs })
    const outcome = await store.insertSearches(userId, [], once, entries, group)
    if (outcome.kind === 'unknown_device') throw savedSearchNotFound() // it names none
    const repeated = repeatedReply(outcome, once)
    // It was written above, by the first of the requests.
    if (repeated !== undefined) return JSON.parse(repeated) as Reply<'runSavedSearch'>
    groupWork.wake()
    audit.tell(entries)
    return reply
  }

  /** A search with its results, also those in a file. */
  async function withResults(row: StoredSearch | undefined): Promise<StoredSearch | undefined> {
    return row && (await resultFiles.read([row]))[0]
  }

  /** What a device answered otherwise than in the run before; undefined for nothing, or if that cannot be known. */
  async function changeOf(
    owner: string,
    latest: StoredSearch,
    groupId: string,
  ): Promise<SearchChange | undefined> {
    const { deviceId, deviceName } = latest
    const page = await store.listSearches(owner, { groupId, deviceId }, { limit: 1 }, toTimestamp(now()))
    const before = await withResults(page.rows[0])
    if (before !== undefined && before.status !== 'completed') return undefined
    if (latest.results === null || before?.results === null) return undefined
    const { added, removed, changed, isPartial } = compareResults(before?.results, latest.results)
    if (!isPartial && added.length + removed.length + changed.length === 0) return undefined
    return {
      device: { id: deviceId, name: deviceName },
      added: [...added],
      removed: [...removed],
      changed: [...changed],
      ...(isPartial && { partial: true as const }),
    }
  }

  return {
    /** Runs a saved search now (C20, C32). */
    runSavedSearch: run,

    /** Tells what changed between the last two runs of a saved search (C32). */
    async listSavedSearchChanges(
      call: UserCall,
      id: string,
      query: QueryOf<DeviceCloudOperations['listSavedSearchChanges']> = {},
    ): Promise<Reply<'listSavedSearchChanges'>> {
      const { userId } = call
      if ((await store.findSavedSearch(userId, id)) === undefined) throw savedSearchNotFound()
      const time = toTimestamp(now())
      const groups = await store.listGroups(userId, { savedSearchId: id }, { limit: 2 }, time)
      const [latest, previous] = groups.rows
      if (latest === undefined || previous === undefined) return { changes: [] }
      const list = `${previous.id} ${latest.id}`
      const { limit, after: first } = toPageRequest(query, 100, list)
      const filter = { groupId: latest.id, status: 'completed' as const }
      const page = await readBoundedPage({
        limit,
        after: first,
        maxBytes,
        async read(part, after: PagePosition | undefined) {
          const found = await store.listSearches(
            userId,
            filter,
            { limit: part, ...(after && { after }) },
            time,
          )
          return { ...found, rows: await resultFiles.read(found.rows) }
        },
      })
      const changes: SearchChange[] = []
      for (const row of page.rows) {
        const change = await changeOf(userId, row, previous.id)
        if (change !== undefined) changes.push(change)
      }
      return { changes, ...nextCursorOf(page, list) }
    },
  }
}

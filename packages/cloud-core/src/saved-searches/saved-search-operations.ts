import type { BodyOf, QueryOf, ReplyOf } from '@homeward/contract'
import { type DeviceCloudOperations, type SavedSearch, toSelection } from '@homeward/contract/device-cloud'
import { HttpError, validationError } from '@homeward/contract/handler'
import { toTimestamp } from '../context/time.ts'
import type { UserCall } from '../context/cloud-context.ts'
import { narrow } from '../access/device-access.ts'
import type { SearchContext } from '../searches/search-context.ts'
import { repeatedReply, toOnce } from '../idempotency/once.ts'
import { nextCursorOf, toPageRequest } from '../paging/cursor.ts'
import type { StoredSavedSearch } from '../ports/saved-search-store.ts'
import { createNextRun } from './next-run.ts'

type Reply<Id extends keyof DeviceCloudOperations> = ReplyOf<DeviceCloudOperations[Id]>
type Body = BodyOf<DeviceCloudOperations['createSavedSearch']>
type Fields = Omit<Body, 'filter'> & Pick<StoredSavedSearch, 'filter'>

/** Saved searches of one user. */
const maxSaved = 500

/** 404 for a saved search that does not exist, or not for this user. */
export const savedSearchNotFound = () => new HttpError(404, { error: 'Saved search not found' })

const shortestIntervalMs = 60_000

type NextRun = ReturnType<typeof createNextRun>

/** Each run makes a group with a search for each device. */
async function assertSparse(
  nextRunAt: NextRun,
  times: Parameters<NextRun>[0],
  first: string | null,
): Promise<void> {
  let at = first
  for (let looks = 0; looks < 3 && at !== null; looks += 1) {
    const next = await nextRunAt(times, Date.parse(at))
    if ('problem' in next || next.at === null) return
    if (Date.parse(next.at) - Date.parse(at) < shortestIntervalMs)
      throw validationError(
        'schedule: must be at least a minute apart. Use an expression of five fields, such as "*/5 * * * *".',
      )
    at = next.at
  }
}

/** How users keep searches (C32). Each call throws `HttpError` as documented. */
export function createSavedSearchOperations(context: SearchContext) {
  const { store, audit, groupWork, now, createId } = context
  const nextRunAt = createNextRun()

  async function toStored(
    fields: Fields,
    known: Pick<StoredSavedSearch, 'id' | 'owner' | 'createdAt'>,
    nowMs: number,
  ): Promise<StoredSavedSearch> {
    const { name, query, scope, filter } = fields
    const schedule = fields.schedule ?? null
    const timezone = fields.timezone ?? null
    const next = await nextRunAt({ schedule, timezone }, nowMs)
    if ('problem' in next) throw validationError(next.problem)
    await assertSparse(nextRunAt, { schedule, timezone }, next.at)
    const times = { updatedAt: toTimestamp(nowMs), nextAt: next.at }
    const selection = toSelection(fields)
    return {
      ...known,
      name,
      query,
      scope,
      ...(selection && { selection }),
      filter,
      schedule,
      timezone,
      ...times,
    }
  }

  async function create(call: UserCall, body: Body): Promise<Reply<'createSavedSearch'>> {
    const { userId, idempotencyKey } = call
    const nowMs = now()
    const known = { id: createId(), owner: userId, createdAt: toTimestamp(nowMs) }
    const saved = await toStored({ ...body, filter: narrow(body.filter, call.access) }, known, nowMs)
    const reply = { savedSearch: toSavedSearch(saved) }
    const scope = JSON.stringify([userId, 'createSavedSearch'])
    const once = toOnce(idempotencyKey, { scope, request: body, reply: JSON.stringify(reply), nowMs })
    const entries = [audit.entryOf(call, 'saved-search:created', { subjectId: saved.id, name: saved.name })]
    const outcome = await store.insertSavedSearch(saved, maxSaved, once, entries)
    if (outcome.kind === 'full') {
      const message = `Saving the search failed: a user can have at most ${maxSaved} saved searches. Delete one first.`
      throw new HttpError(409, { error: 'Conflict', message })
    }
    const repeated = repeatedReply(outcome, once)
    // It was written above, by the first of the requests.
    if (repeated !== undefined) return JSON.parse(repeated) as Reply<'createSavedSearch'>
    audit.tell(entries)
    if (saved.nextAt !== null) groupWork.wake()
    return reply
  }

  async function update(call: UserCall, id: string, body: Body): Promise<Reply<'updateSavedSearch'>> {
    const known = await store.findSavedSearch(call.userId, id)
    if (known === undefined) throw savedSearchNotFound()
    const { owner, createdAt } = known
    const fields = { ...body, filter: narrow(body.filter, call.access) }
    const saved = await toStored(fields, { id, owner, createdAt }, now())
    const entries = [audit.entryOf(call, 'saved-search:changed', { subjectId: id, name: saved.name })]
    if (!(await store.replaceSavedSearch(saved, entries))) throw savedSearchNotFound()
    audit.tell(entries)
    if (saved.nextAt !== null) groupWork.wake()
    return { savedSearch: toSavedSearch(saved) }
  }

  async function remove(call: UserCall, id: string): Promise<Reply<'deleteSavedSearch'>> {
    const entries = [audit.entryOf(call, 'saved-search:deleted', { subjectId: id })]
    if (!(await store.deleteSavedSearch(call.userId, id, entries))) throw savedSearchNotFound()
    audit.tell(entries)
    return { success: true }
  }

  return {
    /** Saves a search (C20, C32). */
    createSavedSearch: create,

    /** Lists a user's saved searches, newest first (C11). */
    async listSavedSearches(
      call: UserCall,
      query: QueryOf<DeviceCloudOperations['listSavedSearches']> = {},
    ): Promise<Reply<'listSavedSearches'>> {
      const page = await store.listSavedSearches(call.userId, toPageRequest(query, 100))
      return { savedSearches: page.rows.map(toSavedSearch), ...nextCursorOf(page) }
    },

    /** Returns a saved search. */
    async getSavedSearch(call: UserCall, id: string): Promise<Reply<'getSavedSearch'>> {
      const saved = await store.findSavedSearch(call.userId, id)
      if (saved === undefined) throw savedSearchNotFound()
      return { savedSearch: toSavedSearch(saved) }
    },

    /** Replaces what a saved search holds. */
    updateSavedSearch: update,

    /** Deletes a saved search. The groups of its runs stay. */
    deleteSavedSearch: remove,
  }
}

function toSavedSearch(saved: StoredSavedSearch): SavedSearch {
  const { id, name, query, scope, filter, schedule, timezone, createdAt, updatedAt, nextAt } = saved
  return {
    id,
    name,
    query,
    scope: [...scope],
    ...saved.selection,
    filter,
    ...(schedule === null ? undefined : { schedule }),
    ...(timezone === null ? undefined : { timezone }),
    createdAt,
    updatedAt,
    ...(nextAt === null ? undefined : { nextRunAt: nextAt }),
  }
}

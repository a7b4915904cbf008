import * as z from 'zod/mini'
import type { Operation } from '../operation.ts'
import { Cursor, limitParameter } from './list-query.ts'
import { idempotencyKey } from './operation-parts.ts'
import { SavedSearch, SavedSearchFields, SearchChange } from './saved-search.ts'
import { Id } from './text.ts'

const path = '/api/devices/saved-searches'
const params = z.object({ id: Id })

/** How users keep searches, run them again, and see what has changed. */
export const savedSearchOperations = {
  createSavedSearch: {
    method: 'POST',
    path,
    auth: 'session',
    needs: 'search',
    summary: 'Saves a search, which can also run on a schedule.',
    source: 'C20, C32',
    body: SavedSearchFields,
    headers: [idempotencyKey],
    status: 201,
    reply: z.object({ savedSearch: SavedSearch }),
    errors: [409],
  },
  listSavedSearches: {
    method: 'GET',
    path,
    auth: 'session',
    needs: 'read',
    summary: "Lists the user's saved searches, newest first.",
    source: 'C11, C32',
    query: z.strictObject({ limit: limitParameter(500), cursor: z.optional(Cursor) }),
    reply: z.object({ savedSearches: z.array(SavedSearch), nextCursor: z.optional(Cursor) }),
  },
  getSavedSearch: {
    method: 'GET',
    path: `${path}/{id}`,
    auth: 'session',
    needs: 'read',
    summary: 'Returns a saved search.',
    source: 'C32',
    params,
    reply: z.object({ savedSearch: SavedSearch }),
    errors: [404],
  },
  updateSavedSearch: {
    method: 'PUT',
    path: `${path}/{id}`,
    auth: 'session',
    needs: 'search',
    summary: 'Replaces a saved search. Without `schedule`, it no longer runs automatically.',
    source: 'C32',
    params,
    body: SavedSearchFields,
    reply: z.object({ savedSearch: SavedSearch }),
    errors: [404],
  },
  deleteSavedSearch: {
    method: 'DELETE',
    path: `${path}/{id}`,
    auth: 'session',
    needs: 'search',
    summary: 'Deletes a saved search. The groups of its runs stay.',
    source: 'C32',
    params,
    reply: z.object({ success: z.literal(true) }),
    errors: [404],
  },
  runSavedSearch: {
    method: 'POST',
    path: `${path}/{id}/run`,
    auth: 'session',
    needs: 'search',
    summary: 'Runs a saved search now, on the devices that its filter matches.',
    source: 'C20, C32',
    params,
    headers: [idempotencyKey],
    reply: z.object({ groupId: Id }),
    errors: [404, 409],
  },
  listSavedSearchChanges: {
    method: 'GET',
    path: `${path}/{id}/changes`,
    auth: 'session',
    needs: 'read',
    summary: 'Lists what changed between the last two runs, for each device.',
    source: 'C32',
    params,
    query: z.strictObject({ limit: limitParameter(200), cursor: z.optional(Cursor) }),
    reply: z.object({
      /** Devices that answered both runs, or that are new in the last one; without those whose answer is the same. */
      changes: z.array(SearchChange),
      /** Present when there are more devices to look at; `changes` may be empty then. */
      nextCursor: z.optional(Cursor),
    }),
    errors: [404],
  },
} as const satisfies Record<string, Operation>

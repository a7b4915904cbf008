import * as z from 'zod/mini'
import type { Operation } from '../operation.ts'
import { hasOneTarget, targets } from './operation-parts.ts'
import { entityTag, idempotencyKey, ifMatch } from './request-headers.ts'
import {
  hasTextOrWhere,
  SearchQuery,
  SearchScopes,
  SearchStatus,
  SearchText,
  selectionFields,
} from './dashboard-search.ts'
import { Cursor, limitParameter, TimestampParameter } from './list-query.ts'
import { ExportFormat, SearchGroup, SearchGroupStatus } from './search-group.ts'
import { boundedString, Id } from './text.ts'
import { SavedSearch, SavedSearchFields, SearchChange } from './saved-search.ts'

const groupsPath = '/api/devices/search/groups'

/** How users search their devices. */
export const searchOperations = {
  createSearches: {
    method: 'POST',
    path: '/api/devices/search/query',
    auth: 'session',
    needs: 'search',
    audit: { action: 'search:created', device: 'body.deviceIds' },
    summary: 'Creates a group of searches: one for each device, selected by ids or by a filter.',
    source: 'Dashboard endpoints; C10, C20, C32',
    body: z
      .object({
        query: SearchText,
        scope: SearchScopes,
        ...selectionFields,
        ...targets,
        /** Seconds until a search that nobody answered fails: 60 to 604,800. @default 86400 */
        ttlSeconds: z.optional(z.int().check(z.gte(60), z.lte(604_800))),
      })
      .check(hasOneTarget, hasTextOrWhere),
    headers: [idempotencyKey],
    status: 201,
    reply: z.object({
      success: z.boolean(),
      /** Id of the group that the searches belong to. */
      groupId: Id,
      /** At most the first 1,000. Others are created afterwards: list them by `groupId`. */
      searchQueries: z.array(z.object({ id: Id, deviceId: Id, status: SearchStatus })),
      message: z.string(),
    }),
    errors: [404, 409],
  },
  listSearches: {
    method: 'GET',
    path: '/api/devices/search/query',
    auth: 'session',
    needs: 'read',
    summary: "Lists the user's searches with their results, newest first.",
    source: 'Dashboard endpoints; C10, C11, C32',
    query: z.strictObject({
      queryId: z.optional(Id),
      deviceId: z.optional(Id),
      groupId: z.optional(Id),
      status: z.optional(SearchStatus),
      limit: limitParameter(500),
      cursor: z.optional(Cursor),
    }),
    reply: z.object({ results: z.array(SearchQuery), nextCursor: z.optional(Cursor) }),
  },
  deleteSearch: {
    method: 'DELETE',
    path: '/api/devices/search/query/{id}',
    auth: 'session',
    needs: 'search',
    audit: { action: 'search:canceled' },
    summary: 'Cancels a pending search, or deletes an ended search with its results.',
    source: 'C9, C32',
    params: z.object({ id: Id }),
    reply: z.object({ success: z.literal(true) }),
    errors: [404],
  },
  listSearchGroups: {
    method: 'GET',
    path: groupsPath,
    auth: 'session',
    needs: 'read',
    summary: "Lists the user's groups of searches, or those that a filter matches, newest first.",
    source: 'C11, C32',
    // strict: a filter that is not understood must not look like one that matches everything
    query: z.strictObject({
      /** Words of the search text, each a literal part of it; all must be there, and case does not matter. */
      text: z.optional(boundedString(200)),
      /** Groups created at this moment and later. */
      from: z.optional(TimestampParameter),
      /** Groups created before this moment. */
      to: z.optional(TimestampParameter),
      /** `pending` while a search of the group waits for its device, then `settled`. */
      status: z.optional(SearchGroupStatus),
      /** Runs of this saved search. */
      savedSearchId: z.optional(Id),
      limit: limitParameter(100),
      cursor: z.optional(Cursor),
    }),
    reply: z.object({ groups: z.array(SearchGroup), nextCursor: z.optional(Cursor) }),
  },
  getSearchGroup: {
    method: 'GET',
    path: `${groupsPath}/{id}`,
    auth: 'session',
    needs: 'read',
    summary: 'Returns a group of searches, with the counts of their states.',
    source: 'C32',
    params: z.object({ id: Id }),
    reply: z.object({ group: SearchGroup }),
    errors: [404],
  },
  deleteSearchGroup: {
    method: 'DELETE',
    path: `${groupsPath}/{id}`,
    auth: 'session',
    needs: 'search',
    audit: { action: 'search-group:removed' },
    summary: 'Deletes a group: cancels its pending searches, and deletes the others with their results.',
    source: 'C9, C32',
    params: z.object({ id: Id }),
    reply: z.object({ success: z.literal(true) }),
    errors: [404],
  },
  exportSearchGroup: {
    method: 'GET',
    path: `${groupsPath}/{id}/export`,
    auth: 'session',
    needs: 'read',
    audit: { action: 'search-group:exported' },
    summary:
      'Streams all results of a group as a file: one row for each file, app or other answer, and one with an `error` for each device that failed, has not answered, or did not see everything.',
    source: 'C32',
    params: z.object({ id: Id }),
    query: z.strictObject({ format: z._default(ExportFormat, 'csv') }),
    reply: 'bytes',
    errors: [404],
  },
} as const satisfies Record<string, Operation>

const savedSearchesPath = '/api/devices/saved-searches'
const bySavedSearchId = z.object({ id: Id })

/** How users keep searches, run them again, and see what has changed. */
export const savedSearchOperations = {
  createSavedSearch: {
    method: 'POST',
    path: savedSearchesPath,
    auth: 'session',
    needs: 'search',
    audit: { action: 'saved-search:created', name: 'body.name' },
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
    path: savedSearchesPath,
    auth: 'session',
    needs: 'read',
    summary: "Lists the user's saved searches, newest first.",
    source: 'C11, C32',
    query: z.strictObject({ limit: limitParameter(500), cursor: z.optional(Cursor) }),
    reply: z.object({ savedSearches: z.array(SavedSearch), nextCursor: z.optional(Cursor) }),
  },
  getSavedSearch: {
    method: 'GET',
    path: `${savedSearchesPath}/{id}`,
    auth: 'session',
    needs: 'read',
    summary: 'Returns a saved search.',
    source: 'C32',
    params: bySavedSearchId,
    replyHeaders: [entityTag],
    reply: z.object({ savedSearch: SavedSearch }),
    errors: [404],
  },
  updateSavedSearch: {
    method: 'PUT',
    path: `${savedSearchesPath}/{id}`,
    auth: 'session',
    needs: 'search',
    audit: { action: 'saved-search:changed' },
    summary: 'Replaces a saved search. Without `schedule`, it no longer runs automatically.',
    source: 'C32',
    params: bySavedSearchId,
    body: SavedSearchFields,
    headers: [ifMatch],
    replyHeaders: [entityTag],
    reply: z.object({ savedSearch: SavedSearch }),
    errors: [404, 412],
  },
  deleteSavedSearch: {
    method: 'DELETE',
    path: `${savedSearchesPath}/{id}`,
    auth: 'session',
    needs: 'search',
    audit: { action: 'saved-search:deleted' },
    summary: 'Deletes a saved search. The groups of its runs stay.',
    source: 'C32',
    params: bySavedSearchId,
    headers: [ifMatch],
    reply: z.object({ success: z.literal(true) }),
    errors: [404, 412],
  },
  runSavedSearch: {
    method: 'POST',
    path: `${savedSearchesPath}/{id}/run`,
    auth: 'session',
    needs: 'search',
    audit: { action: 'search:created' },
    summary: 'Runs a saved search now, on the devices that its filter matches.',
    source: 'C20, C32',
    params: bySavedSearchId,
    headers: [idempotencyKey],
    reply: z.object({ groupId: Id }),
    errors: [404, 409],
  },
  listSavedSearchChanges: {
    method: 'GET',
    path: `${savedSearchesPath}/{id}/changes`,
    auth: 'session',
    needs: 'read',
    summary: 'Lists what changed between the last two runs.',
    source: 'C32',
    params: bySavedSearchId,
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

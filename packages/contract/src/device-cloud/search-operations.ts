import * as z from 'zod/mini'
import type { Operation } from '../operation.ts'
import { hasOneTarget, idempotencyKey, targets } from './operation-parts.ts'
import { SearchQuery, SearchScopes, SearchStatus, SearchText } from './dashboard-search.ts'
import { Cursor, limitParameter, TimestampParameter } from './list-query.ts'
import { ExportFormat, SearchGroup, SearchGroupStatus } from './search-group.ts'
import { boundedString, Id } from './text.ts'

const groupsPath = '/api/devices/search/groups'

/** How users search their devices. */
export const searchOperations = {
  createSearches: {
    method: 'POST',
    path: '/api/devices/search/query',
    auth: 'session',
    needs: 'search',
    summary:
      'Creates one search for each device, selected by ids or by a filter. Together, these searches are a group.',
    source: 'Dashboard endpoints; C10, C20, C32',
    body: z
      .object({
        query: SearchText,
        scope: SearchScopes,
        ...targets,
        /** Seconds until a search that nobody answered fails: 60 to 604,800. @default 86400 */
        ttlSeconds: z.optional(z.int().check(z.gte(60), z.lte(604_800))),
      })
      .check(hasOneTarget),
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
    summary: 'Returns a group of searches, with the counts of pending, completed and failed searches.',
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
    summary:
      'Deletes a group. Pending searches are canceled, and ended searches are deleted with their results.',
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
    summary:
      'Streams all results of a group as a file: one row for each file, app or other answer, and one with an `error` for each device that failed, has not answered, or did not see everything.',
    source: 'C32',
    params: z.object({ id: Id }),
    query: z.strictObject({ format: z._default(ExportFormat, 'csv') }),
    reply: 'bytes',
    errors: [404],
  },
} as const satisfies Record<string, Operation>

import * as z from 'zod/mini'
import {
  SearchScopes,
  SearchText,
  selectionFields,
  type SearchGroup,
  type SearchQuery,
} from '@homeward/contract/device-cloud'
import { ClientError } from '@homeward/contract/client'
import { toolError, type McpResult } from '@homeward/contract/mcp'
import type { Timers } from '@homeward/kit'
import { defineDeviceTool, type DeviceToolContext } from './device-tool.ts'
import { toSearchAnswer } from './search-answer.ts'
import { defaultWaitSeconds, maxWaitSeconds, waitUntil } from './wait-until.ts'

/** Most devices of one search. */
const maxDevices = 1000
/** Searches that are read for one answer. */
const maxSearches = 1000

const scopes = z.union([
  SearchScopes,
  z.pipe(
    z.string(),
    z.transform((scope) => [scope]),
  ),
])
const WaitSeconds = z.optional(
  z
    .number()
    .check(
      z.gte(0),
      z.lte(maxWaitSeconds),
      z.describe(`Seconds to wait for the devices, 0 to ${maxWaitSeconds}. Default ${defaultWaitSeconds}.`),
    ),
)
export { WaitSeconds }

/** The tools that search devices and read what was found. */
export function createSearchTools(timers: Timers | undefined) {
  const searchDevices = defineDeviceTool({
    name: 'search_devices',
    title: 'Search devices',
    description:
      'Searches the user\'s own devices and waits for their results. Scopes: "files" (names of files), "content" (text inside files), "apps", "system". Answers with counts and the first results; get_search gives more. For a device that is off, results may come from the list of files that it left: source "catalog", as of "as_of".',
    hints: { readOnlyHint: true, openWorldHint: true },
    inputSchema: z.object({
      query: SearchText.check(
        z.describe('Words in any order, or a glob such as *.pdf. May be empty if "where" has a condition.'),
      ),
      scope: z.optional(scopes.check(z.describe('What to look through, as a list. Default ["files"].'))),
      device_ids: z.optional(
        z
          .array(z.string().check(z.minLength(1), z.maxLength(128)))
          .check(
            z.minLength(1),
            z.maxLength(maxDevices),
            z.describe('Ids of devices, as list_devices gives them. Default: all devices.'),
          ),
      ),
      where: selectionFields.where.check(
        z.describe('Conditions on files, which must all hold. Times are ISO 8601 with an offset.'),
      ),
      sort: selectionFields.sort.check(
        z.describe('Order of the files of each device, such as "-modified" for the newest first.'),
      ),
      limit: selectionFields.limit.check(z.describe('Most rows of each device. Default 1000.')),
      wait_seconds: WaitSeconds,
    }),
    async execute({ device_ids, wait_seconds = defaultWaitSeconds, ...asked }, context) {
      const { query, scope = ['files'], where, sort, limit } = asked
      const deviceIds = device_ids ?? (await allDevices(context))
      if (deviceIds.length === 0) {
        return toolError('Searching devices failed: the user has no devices yet. Enroll a device first.')
      }
      const { groupId } = await context.client.createSearches({
        body: {
          query,
          scope,
          deviceIds,
          ...(where && { where }),
          ...(sort && { sort }),
          ...(limit !== undefined && { limit }),
        },
        signal: context.signal,
      })
      const group = await waitUntil(() => lookAt(groupId, context), wait_seconds, context, timers)
      return describeGroup(group, 0, context)
    },
  })

  const getSearch = defineDeviceTool({
    name: 'get_search',
    title: 'Get search results',
    description:
      'Gives the results of a search that search_devices started, and how many devices have answered.',
    hints: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
    inputSchema: z.object({
      id: z.string().check(z.minLength(1), z.maxLength(128), z.describe('`id` of the search.')),
      offset: z.optional(
        z.int().check(z.gte(0), z.describe('How many results to skip: `next_offset` of the answer before.')),
      ),
    }),
    async execute({ id, offset = 0 }, context) {
      const group = await findGroup(id, context)
      return group ? describeGroup(group, offset, context) : describeSingle(id, offset, context)
    },
  })
  return [searchDevices, getSearch]
}

async function allDevices({ client, signal }: DeviceToolContext): Promise<string[]> {
  const { devices } = await client.listDevices({ query: { limit: String(maxDevices) }, signal })
  return devices.map(({ id }) => id)
}

async function lookAt(id: string, { client, signal }: DeviceToolContext) {
  const { group } = await client.getSearchGroup({ params: { id }, signal })
  const done = group.total - group.counts.pending
  const message = `${done} of ${group.total} devices have answered`
  return { found: group, isDone: group.counts.pending === 0, message, done, total: group.total }
}

async function findGroup(
  id: string,
  { client, signal }: DeviceToolContext,
): Promise<SearchGroup | undefined> {
  try {
    return (await client.getSearchGroup({ params: { id }, signal })).group
  } catch (error) {
    if (ClientError.is(error) && error.status === 404) return undefined
    throw error
  }
}

async function describeGroup(
  group: SearchGroup,
  offset: number,
  context: DeviceToolContext,
): Promise<McpResult> {
  const { searches, areAll } = await readSearches({ groupId: group.id }, context)
  return toSearchAnswer(group, searches, { offset, areAll })
}

/** A search whose group was removed, or the id of one search of a group. */
async function describeSingle(id: string, offset: number, context: DeviceToolContext): Promise<McpResult> {
  const { searches } = await readSearches({ queryId: id }, context)
  const [search] = searches
  if (!search)
    return toolError(
      `Getting the search failed: the search "${id}" does not exist. Use the id that search_devices returned.`,
      { status: 404 },
    )
  const counts = { pending: 0, completed: 0, failed: 0, [search.status]: 1 }
  return toSearchAnswer({ ...search, total: 1, counts }, searches, { offset, areAll: true })
}

async function readSearches(
  which: { readonly groupId: string } | { readonly queryId: string },
  { client, signal }: DeviceToolContext,
): Promise<{ searches: SearchQuery[]; areAll: boolean }> {
  const searches: SearchQuery[] = []
  let cursor: string | undefined
  do {
    const page = await client.listSearches({
      query: { ...which, limit: '100', ...(cursor !== undefined && { cursor }) },
      signal,
    })
    searches.push(...page.results)
    cursor = page.nextCursor
  } while (cursor !== undefined && searches.length < maxSearches)
  return { searches, areAll: cursor === undefined }
}

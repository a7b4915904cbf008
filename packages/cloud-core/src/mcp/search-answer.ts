import {
  createFileOrder,
  foundScopes,
  type SearchGroup,
  type SearchQuery,
  type SearchResults,
} from '@homeward/contract/device-cloud'
import type { McpResult } from '@homeward/contract/mcp'
import { truncateText, maxResultCharacters, truncateRows } from '@homeward/contract/mcp'
import { untrustedNote } from './device-tool.ts'

/** Rows that a device found and this answer can show. */
interface Row {
  readonly device_id: string
  readonly device: string
  readonly [field: string]: string | number | boolean | string[]
}

const shownLines = 3
/** Devices that are named when they failed. */
const shownFailures = 10

/** The answer about a group of searches: counts, the first rows behind `offset`, and how to narrow. */
export function toSearchAnswer(
  group: Pick<SearchGroup, 'id' | 'query' | 'scope' | 'sort' | 'total' | 'counts'>,
  searches: readonly SearchQuery[],
  { offset, areAll }: { readonly offset: number; readonly areAll: boolean },
): McpResult {
  const found = [...filesOf(group, searches), ...searches.flatMap(otherRowsOf)]
  const { rows, left } = truncateRows(found.slice(offset), maxResultCharacters - 2000)
  const next = offset + rows.length
  const failures = searches.filter(({ status }) => status === 'failed')
  const isCut = searches.some(({ results }) => Object.values(results?.truncated ?? {}).includes(true))
  const unread = searches.flatMap(({ device, results }) =>
    (results?.unread ?? []).map(({ scope, reason, path, count }) => ({
      device: truncateText(device.name, 60),
      scope: truncateText(scope, 64),
      reason: truncateText(reason, 64),
      ...(path !== undefined && { path: truncateText(path, 300) }),
      count,
    })),
  )
  const skipped = searches.flatMap(({ device, results }) =>
    (results?.skipped ?? []).map(({ reason, count }) => ({
      device: truncateText(device.name, 60),
      reason: truncateText(reason, 64),
      count,
    })),
  )
  return {
    value: {
      id: group.id,
      query: truncateText(group.query, 200),
      scope: group.scope.map((scope) => truncateText(scope, 64)),
      status: group.counts.pending === 0 ? 'done' : 'pending',
      devices: { total: group.total, ...group.counts },
      found: found.length,
      results: [...rows],
      ...(left > 0 && { next_offset: next }),
      ...(failures.length > 0 && {
        failed: failures.slice(0, shownFailures).map(({ device, error }) => ({
          device_id: device.id,
          device: truncateText(device.name, 60),
          error: truncateText(error ?? '', 80),
        })),
      }),
      ...(unread.length > 0 && { unread: unread.slice(0, shownFailures) }),
      ...(skipped.length > 0 && { skipped: skipped.slice(0, shownFailures) }),
      notes: notesOf(group, { left, isCut, areAll, isOld: searches.some(isFromCatalog) }),
    },
  }
}

const isFromCatalog = ({ results }: SearchQuery): boolean => results?.source === 'catalog'

/** How complete an answer is. */
interface Completeness {
  readonly left: number
  readonly isCut: boolean
  readonly areAll: boolean
  readonly isOld: boolean
}

function notesOf({ counts }: Pick<SearchGroup, 'counts'>, { left, isCut, areAll, isOld }: Completeness) {
  const notes = [untrustedNote]
  if (counts.pending > 0)
    notes.push('Some devices have not answered yet. Call get_search with this id later.')
  if (isOld)
    notes.push(
      'Results with source "catalog" are of devices that have not answered: their files as of "as_of". They may have changed.',
    )
  if (left > 0)
    notes.push(`${left} more results: use a more exact query, fewer devices, or get_search with "offset".`)
  if (isCut) notes.push('A device had more results than it may send. Use a more exact query.')
  if (!areAll) notes.push('Not all devices are shown. Search fewer devices with "device_ids".')
  return notes
}

/** Files of all devices: in the order of the search, if it has one, so that the newest of all devices is the first. */
function filesOf(
  { query, sort }: Pick<SearchGroup, 'query' | 'sort'>,
  searches: readonly SearchQuery[],
): readonly Row[] {
  const found = searches.flatMap(({ device, results }) =>
    (results?.files ?? []).map((file) => ({ device, file, ...(results && originOf(results)) })),
  )
  const compare = createFileOrder(sort ?? 'relevance', query)
  const ordered = sort === undefined ? found : found.toSorted((one, other) => compare(one.file, other.file))
  return ordered.map(({ device, file: { path, size, modified, matches = [] }, ...origin }) => ({
    ...headOf(device),
    ...origin,
    path: truncateText(path, 1000),
    size,
    modified,
    ...(matches.length > 0 && {
      matches: matches.slice(0, shownLines).map(({ line, text }) => `${line}: ${truncateText(text, 200)}`),
    }),
  }))
}

/** Said of files of a device that has not answered: they are from a list that it left. */
function originOf({ source, asOf }: SearchResults): { readonly source?: string; readonly as_of?: string } {
  return source === 'catalog' ? { source, ...(asOf !== undefined && { as_of: asOf }) } : {}
}

const headOf = (device: SearchQuery['device']) => ({
  device_id: device.id,
  device: truncateText(device.name, 60),
})

function otherRowsOf({ device, results }: SearchQuery): Row[] {
  const head = headOf(device)
  const { apps = [], system } = results ?? {}
  const known = new Set(['files', 'apps', 'system'])
  const others = foundScopes(results ?? {}).filter(([scope]) => !known.has(scope))
  return [
    ...apps.map(({ name, path, running }) => ({
      ...head,
      app: truncateText(name, 200),
      path: truncateText(path, 500),
      running,
    })),
    ...(system ? [{ ...head, system: truncateText(JSON.stringify(system), 1000) }] : []),
    ...others.map(([scope, value]) => ({
      ...head,
      scope: truncateText(scope, 64),
      value: truncateText(JSON.stringify(value) ?? '', 1500),
    })),
  ]
}

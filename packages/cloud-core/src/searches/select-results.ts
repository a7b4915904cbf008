import {
  createFileOrder,
  createFileRank,
  createFileTest,
  defaultSearchLimit,
  foundScopes,
  type SearchResults,
  type SearchSelection,
  type SelectableFile,
  type SelectionPlace,
} from '@homeward/contract/device-cloud'

/** What a search asked for. */
interface Asked {
  readonly query: string
  readonly selection: SearchSelection
}

/**
 * Applies what a search selects to what a device reported, as far as its rows have the values: an older agent does not
 * know the conditions, and its answer is right all the same.
 */
export function selectResults(
  results: SearchResults,
  { query, selection }: Asked,
  place: SelectionPlace,
): SearchResults {
  const { where = {}, sort = 'relevance', limit = defaultSearchLimit } = selection
  const isWanted = createFileTest(where, place)
  const compare = createFileOrder(sort, query)
  const rank = createFileRank(query)
  const selected = foundScopes(results).map(([scope, found]): [string, unknown] => {
    if (!Array.isArray(found) || !found.every(isFile)) return [scope, found]
    const known = found.map((row) => ({ row, file: toKnown(row, rank) })).filter(({ file }) => isWanted(file))
    return [scope, known.toSorted((one, other) => compare(one.file, other.file)).map(({ row }) => row)]
  })
  return cutResults({ ...results, ...Object.fromEntries(selected) }, limit)
}

/** Leaves the first rows of each scope, and notes which scopes had more. */
export function cutResults(results: SearchResults, limit = defaultSearchLimit): SearchResults {
  const long = foundScopes(results).filter(([, found]) => Array.isArray(found) && found.length > limit)
  if (long.length === 0) return results
  const rows = long.map(([scope, found]): [string, unknown] => [
    scope,
    (found as readonly unknown[]).slice(0, limit),
  ])
  const truncated = { ...results.truncated, ...Object.fromEntries(long.map(([scope]) => [scope, true])) }
  return { ...results, ...Object.fromEntries(rows), truncated }
}

/** Files of any scope have a path, and a size or a time. Apps have neither. */
function isFile(row: unknown): row is Readonly<Record<string, unknown>> {
  if (typeof row !== 'object' || row === null || !('path' in row) || typeof row.path !== 'string')
    return false
  return (
    ('size' in row && typeof row.size === 'number') || ('modified' in row && typeof row.modified === 'string')
  )
}

/** The facts of a row, as far as they are of their documented form. */
function toKnown(row: Readonly<Record<string, unknown>>, rank: (name: string) => number): SelectableFile {
  const text = (name: string) => (typeof row[name] === 'string' ? row[name] : undefined)
  const { size } = row
  return {
    path: text('path'),
    name: text('name'),
    size: typeof size === 'number' ? size : undefined,
    modified: text('modified'),
    kind: text('kind'),
    rank: rank(text('name') ?? ''),
  }
}

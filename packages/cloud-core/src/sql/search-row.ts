import type {
  SearchRequest,
  SearchResults,
  SearchScope,
  SearchSelection,
} from '@homeward/contract/device-cloud'
import type { NewSearch, SearchOutcome, SettleOutcome, StoredSearch } from '../ports/search-store.ts'
import { expiredSearchError } from '../searches/expiry.ts'

/** A search as adapters keep it: flat, `scope`, `selection` and `results` as JSON text, `status` without regard to expiry. */
export interface SearchRow {
  id: string
  deviceId: string
  groupId: string | null
  owner: string
  query: string
  scope: string
  selection: string | null
  actor: string | null
  createdAt: string
  expiresAt: string
  status: 'pending' | 'completed' | 'failed'
  results: string | null
  resultsBlobId: string | null
  /** One of {@link resultsState}. */
  resultsState: number
  /** Files among the results; stays when they are removed. */
  filesFound: number
  error: string | null
  completedAt: string | null
}

/** Whether a search has results, or may still get some: what is old is found by it. */
export const resultsState = { none: 0, held: 1, gone: 2 } as const

/** The state of an outcome. */
export function resultsStateOf({ results, resultsBlobId }: SearchOutcome): number {
  return results === null && resultsBlobId === undefined ? resultsState.none : resultsState.held
}

/** Row of a new search. */
export function toSearchRow(owner: string, search: NewSearch): SearchRow {
  return {
    id: search.id,
    deviceId: search.deviceId,
    groupId: search.groupId,
    owner,
    query: search.query,
    scope: JSON.stringify(search.scope),
    selection: toSelectionText(search.selection),
    actor: search.actor ?? null,
    createdAt: search.createdAt,
    expiresAt: search.expiresAt,
    status: search.refused === undefined ? 'pending' : 'failed',
    results: null,
    resultsBlobId: null,
    // As most reports leave it, so that they change no index.
    resultsState: search.refused === undefined ? resultsState.held : resultsState.none,
    filesFound: 0,
    error: search.refused ?? null,
    completedAt: search.refused === undefined ? null : search.createdAt,
  }
}

/** Results as stored text; null when there are none. */
export function toResultsText(results: SearchResults | null): string | null {
  return results === null ? null : JSON.stringify(results)
}

/** What the device is asked to run. */
export function toSearchRequest(
  row: Pick<SearchRow, 'id' | 'query' | 'scope' | 'selection' | 'actor' | 'createdAt'>,
): SearchRequest {
  const { id, query, scope, selection, createdAt } = row
  return { id, query, scope: parseScope(scope), ...parseSelection(selection), createdAt, ...actorOf(row) }
}

/** Whether the search waits for its device at `now` (C10). */
export function isSearchPending(row: Pick<SearchRow, 'status' | 'expiresAt'>, now: string): boolean {
  return row.status === 'pending' && row.expiresAt > now
}

/** What a report hears that settled a search. */
export function toSettled({ groupId }: Pick<SearchRow, 'groupId'>): SettleOutcome {
  return { kind: 'settled', ...(groupId !== null && { groupId }) }
}

/** How the search ended as seen at `now`; undefined while it is pending (C9, C10). */
export function toSearchAlready(
  row: Pick<SearchRow, 'status' | 'expiresAt' | 'error'>,
  now: string,
): Extract<SettleOutcome, { kind: 'already' }> | undefined {
  if (row.status !== 'pending') return { kind: 'already', status: row.status, error: row.error }
  if (row.expiresAt <= now) return { kind: 'already', status: 'failed', error: expiredSearchError }
  return undefined
}

/** What a report hears whose search is still pending; undefined if nothing keeps it from being settled. */
export function toSelects({
  query,
  selection,
}: Pick<SearchRow, 'query' | 'selection'>): Extract<SettleOutcome, { kind: 'selects' }> | undefined {
  const parsed = parseSelection(selection)
  return parsed && { kind: 'selects', query, selection: parsed }
}

/** What a list says of the device of a search. */
export interface SearchedDevice {
  readonly deviceName: string
  readonly catalogBlobId: string | null
}

/** The search as it stands at `now`. */
export function toStoredSearch(
  row: SearchRow,
  { deviceName, catalogBlobId }: SearchedDevice,
  now: string,
): StoredSearch {
  const expired = row.status === 'pending' && row.expiresAt <= now
  return {
    id: row.id,
    deviceId: row.deviceId,
    groupId: row.groupId,
    deviceName,
    query: row.query,
    scope: parseScope(row.scope),
    ...selectionOf(row),
    ...actorOf(row),
    createdAt: row.createdAt,
    expiresAt: row.expiresAt,
    status: expired ? 'failed' : row.status,
    // Written by `JSON.stringify` from checked results.
    results: row.results === null ? null : (JSON.parse(row.results) as SearchResults),
    ...(row.resultsBlobId !== null && { resultsBlobId: row.resultsBlobId }),
    ...(row.resultsState === resultsState.gone && { resultsGone: true as const }),
    filesFound: row.filesFound,
    error: expired ? expiredSearchError : row.error,
    completedAt: expired ? row.expiresAt : row.completedAt,
    ...(row.status === 'pending' && !expired && catalogBlobId !== null && { catalogBlobId }),
  }
}

/** A selection as stored text; null for none. */
export function toSelectionText(selection: SearchSelection | undefined): string | null {
  return selection === undefined ? null : JSON.stringify(selection)
}

/** A selection as {@link toSelectionText} wrote it. */
function parseSelection(text: string | null): SearchSelection | undefined {
  // Written by `JSON.stringify` from a checked selection.
  return text === null ? undefined : (JSON.parse(text) as SearchSelection)
}

/** A selection as a property of what it belongs to. */
export function selectionOf(row: { readonly selection: string | null }): { selection?: SearchSelection } {
  const selection = parseSelection(row.selection)
  return selection === undefined ? {} : { selection }
}

/** Who asked, as a property of what was asked. */
export function actorOf({ actor }: { readonly actor: string | null }): { actor?: string } {
  return actor === null ? {} : { actor }
}

/** A scope as {@link toSearchRow} wrote it. */
export function parseScope(text: string): SearchScope[] {
  // Written by `JSON.stringify` from a checked list.
  return JSON.parse(text) as SearchScope[]
}

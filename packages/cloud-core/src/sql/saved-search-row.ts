import type { StoredSavedSearch } from '../ports/saved-search-store.ts'
import { parseFilter } from './group-row.ts'
import { parseScope } from './search-row.ts'

/** A saved search as adapters keep it: flat, `scope` and `filter` as JSON text. */
export type SavedSearchRow = Omit<StoredSavedSearch, 'scope' | 'filter'> & {
  readonly scope: string
  readonly filter: string
}

/** Row of a saved search. */
export function toSavedSearchRow({ scope, filter, ...saved }: StoredSavedSearch): SavedSearchRow {
  return { ...saved, scope: JSON.stringify(scope), filter: JSON.stringify(filter) }
}

/** The saved search of a row. */
export function toStoredSavedSearch({ scope, filter, ...row }: SavedSearchRow): StoredSavedSearch {
  return { ...row, scope: parseScope(scope), filter: parseFilter(filter) }
}

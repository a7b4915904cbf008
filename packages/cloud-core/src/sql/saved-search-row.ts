import type { StoredSavedSearch } from '../ports/saved-search-store.ts'
import { parseFilter } from './group-row.ts'
import { parseScope, selectionOf, toSelectionText } from './search-row.ts'

/** A saved search as adapters keep it: flat, `scope`, `selection` and `filter` as JSON text. */
export type SavedSearchRow = Omit<StoredSavedSearch, 'scope' | 'selection' | 'filter'> & {
  readonly scope: string
  readonly selection: string | null
  readonly filter: string
}

/** Row of a saved search. */
export function toSavedSearchRow(saved: StoredSavedSearch): SavedSearchRow {
  const { scope, selection, filter } = saved
  return {
    ...saved,
    scope: JSON.stringify(scope),
    selection: toSelectionText(selection),
    filter: JSON.stringify(filter),
  }
}

/** The saved search of a row. */
export function toStoredSavedSearch({ selection, ...row }: SavedSearchRow): StoredSavedSearch {
  const { scope, filter } = row
  return { ...row, scope: parseScope(scope), ...selectionOf({ selection }), filter: parseFilter(filter) }
}

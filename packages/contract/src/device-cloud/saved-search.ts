import * as z from 'zod/mini'
import { hasTextOrWhere, SearchScopes, SearchText, selectionFields } from './dashboard-search.ts'
import { DeviceFilter, DeviceFilterView } from './device-filter.ts'
import { searchScope } from './search-scope.ts'
import { SearchSelection } from './search-selection.ts'
import { Id, boundedString, Timestamp } from './text.ts'

/** What a saved search holds, as a user writes it. */
export const SavedSearchFields = z
  .object({
    name: boundedString(200),
    query: SearchText,
    scope: SearchScopes,
    ...selectionFields,
    /** Which devices are searched, as they are at the time of each run. `{}` means all. */
    filter: DeviceFilter,
    /** Cron expression of 5 fields, or 6 with seconds first. @default none: it runs when it is told to */
    schedule: z.nullish(boundedString(200)),
    /** IANA time zone of `schedule`. @default UTC */
    timezone: z.nullish(boundedString(64)),
  })
  .check(hasTextOrWhere)
export type SavedSearchFields = z.infer<typeof SavedSearchFields>

/** A search that can be run again, also by a schedule. */
export const SavedSearch = z.object({
  id: Id,
  name: z.string(),
  query: z.string(),
  scope: z.array(searchScope),
  ...SearchSelection.shape,
  filter: DeviceFilterView,
  /** Absent where it runs only when it is told to. */
  schedule: z.optional(z.string()),
  timezone: z.optional(z.string()),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  /** When it runs next; absent without a schedule. */
  nextRunAt: z.optional(Timestamp),
})
export type SavedSearch = z.infer<typeof SavedSearch>

/** One answer of a device: the scope that it is of, and its fields. */
export const ChangedRow = z.catchall(z.object({ scope: searchScope }), z.unknown())
export type ChangedRow = z.infer<typeof ChangedRow>

/**
 * What a device answered otherwise than the time before, as far as both answers saw: nothing that one of them was cut off, or
 * could not read. Free memory and disk, and whether an app runs, do not count.
 */
export const SearchChange = z.object({
  device: z.object({ id: Id, name: z.string() }),
  added: z.array(ChangedRow),
  removed: z.array(ChangedRow),
  /** Rows of the same path, id or name whose other fields differ. Older clouds remove and add them. */
  changed: z.optional(z.array(z.object({ before: ChangedRow, after: ChangedRow }))),
  /**
   * A part could not be compared: one of the answers was cut or could not read a place, or everything of a scope is gone,
   * which may be a drive that is not mounted.
   */
  partial: z.optional(z.literal(true)),
})
export type SearchChange = z.infer<typeof SearchChange>

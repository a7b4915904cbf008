import * as z from 'zod/mini'
import { hasTextOrWhere, SearchScopes, SearchText, selectionFields } from './dashboard-search.ts'
import { DeviceFilter, DeviceFilterView } from './device-filter.ts'
import { searchScope } from './search-scope.ts'
import { SearchSelection } from './search-selection.ts'
import { Id, boundedString, Timestamp } from './text.ts'

/** Fields of a saved search that a user can set. */
export const SavedSearchFields = z
  .object({
    name: boundedString(200),
    query: SearchText,
    scope: SearchScopes,
    ...selectionFields,
    /** Devices to search, evaluated at each run. `{}` means all devices. */
    filter: DeviceFilter,
    /** Cron expression of 5 fields, or 6 with seconds first. @default no schedule: runs only on request */
    schedule: z.nullish(boundedString(200)),
    /** IANA time zone of `schedule`. @default UTC */
    timezone: z.nullish(boundedString(64)),
  })
  .check(hasTextOrWhere)
export type SavedSearchFields = z.infer<typeof SavedSearchFields>

/** A search that can be run again, on request or on a schedule. */
export const SavedSearch = z.object({
  id: Id,
  name: z.string(),
  query: z.string(),
  scope: z.array(searchScope),
  ...SearchSelection.shape,
  filter: DeviceFilterView,
  /** Absent if the search runs only on request. */
  schedule: z.optional(z.string()),
  timezone: z.optional(z.string()),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  /** Time of the next run. Absent without a schedule. */
  nextRunAt: z.optional(Timestamp),
})
export type SavedSearch = z.infer<typeof SavedSearch>

/** A changed row of a device's results: its scope and fields. */
export const ChangedRow = z.catchall(z.object({ scope: searchScope }), z.unknown())
export type ChangedRow = z.infer<typeof ChangedRow>

/**
 * Differences between a device's results and the results before.
 *
 * Rows are compared only where both results are complete. Free memory, free disk space and whether an app runs are
 * ignored.
 */
export const SearchChange = z.object({
  device: z.object({ id: Id, name: z.string() }),
  added: z.array(ChangedRow),
  removed: z.array(ChangedRow),
  /** Rows with the same path, id or name whose other fields differ. Older clouds report them as removed and added. */
  changed: z.optional(z.array(z.object({ before: ChangedRow, after: ChangedRow }))),
  /**
   * Whether a part could not be compared: one result was truncated or incomplete, or all rows of a scope are gone,
   * for example because a drive is not mounted.
   */
  partial: z.optional(z.literal(true)),
})
export type SearchChange = z.infer<typeof SearchChange>

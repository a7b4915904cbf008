import * as z from 'zod/mini'
import { DeviceFilterView } from './device-filter.ts'
import { searchScope } from './search-scope.ts'
import { SearchSelection } from './search-selection.ts'
import { Id, Timestamp } from './text.ts'

/** Number of searches of a group by status. The sum is always `total`. */
export const SearchCounts = z.object({
  /** Searches that wait for their device or that are not created yet. */
  pending: z.int().check(z.gte(0)),
  completed: z.int().check(z.gte(0)),
  /** Searches that failed on the device, expired or were canceled. */
  failed: z.int().check(z.gte(0)),
})
export type SearchCounts = z.infer<typeof SearchCounts>

/** Status of a search group: whether it still waits for a device. */
export const SearchGroupStatus = z.enum(['pending', 'settled'])
export type SearchGroupStatus = z.infer<typeof SearchGroupStatus>

/** All searches of one request, for any number of devices. */
export const SearchGroup = z.object({
  id: Id,
  query: z.string(),
  scope: z.array(searchScope),
  ...SearchSelection.shape,
  createdAt: Timestamp,
  /** Filter of the searched devices. Absent if the request listed device ids. */
  filter: z.optional(DeviceFilterView),
  /** Id of the saved search that started this group. */
  savedSearchId: z.optional(Id),
  /** Number of searched devices, without erased searches and deleted devices. */
  total: z.int().check(z.gte(0)),
  counts: SearchCounts,
  /** Number of files found. Absent if the cloud does not count them. */
  filesFound: z.optional(z.int().check(z.gte(0))),
})
export type SearchGroup = z.infer<typeof SearchGroup>

/** File format of exported results: comma-separated values as in RFC 4180, or one JSON object per line. */
export const ExportFormat = z.enum(['csv', 'ndjson'])
export type ExportFormat = z.infer<typeof ExportFormat>

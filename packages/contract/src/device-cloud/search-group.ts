import * as z from 'zod/mini'
import { DeviceFilterView } from './device-filter.ts'
import { searchScope } from './search-scope.ts'
import { SearchSelection } from './search-selection.ts'
import { Id, Timestamp } from './text.ts'

/** How many searches of a group stand where. They always add up to its `total`. */
export const SearchCounts = z.object({
  /** Searches that wait for their device, and those that are not created yet. */
  pending: z.int().check(z.gte(0)),
  completed: z.int().check(z.gte(0)),
  /** Searches whose device reported an error, that expired or that were canceled. */
  failed: z.int().check(z.gte(0)),
})
export type SearchCounts = z.infer<typeof SearchCounts>

/** Whether a group of searches still waits for a device. */
export const SearchGroupStatus = z.enum(['pending', 'settled'])
export type SearchGroupStatus = z.infer<typeof SearchGroupStatus>

/** All searches of one request, on however many devices. */
export const SearchGroup = z.object({
  id: Id,
  query: z.string(),
  scope: z.array(searchScope),
  ...SearchSelection.shape,
  createdAt: Timestamp,
  /** Which devices are searched; absent where they were named by their ids. */
  filter: z.optional(DeviceFilterView),
  /** The saved search that it is a run of. */
  savedSearchId: z.optional(Id),
  /** How many devices are searched. Searches that were erased and devices that were deleted do not count. */
  total: z.int().check(z.gte(0)),
  counts: SearchCounts,
  /** Files that its searches found; absent where the cloud does not count them. */
  filesFound: z.optional(z.int().check(z.gte(0))),
})
export type SearchGroup = z.infer<typeof SearchGroup>

/** File format of exported results: comma-separated values as in RFC 4180, or one JSON object a line. */
export const ExportFormat = z.enum(['csv', 'ndjson'])
export type ExportFormat = z.infer<typeof ExportFormat>

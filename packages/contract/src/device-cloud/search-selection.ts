import * as z from 'zod/mini'

/** Kind of a file by the extension of its name: see `fileKindOf`. Later releases may add kinds. */
export type FileKind =
  | 'document'
  | 'image'
  | 'audio'
  | 'video'
  | 'archive'
  | 'code'
  | 'folder'
  | 'other'
  | (string & {})
// Devices read these forms, and pay for each byte: the cloud has checked the values.
const text = z.string()
const count = z.int()
/** A kind of any release. */
export const fileKind: z.ZodMiniType<FileKind, FileKind> = text

/**
 * Conditions on files. All must be met. Lists are alternatives, and bounds are inclusive.
 *
 * @example
 * { kind: ['document'], modifiedAfter: '2026-01-01T00:00:00Z', folder: '/home/ann/Documents' }
 */
export const SearchWhere = z.object({
  kind: z.optional(z.array(fileKind)),
  /** File name endings without the dot; case is ignored. */
  extension: z.optional(z.array(text)),
  minBytes: z.optional(count),
  maxBytes: z.optional(count),
  modifiedAfter: z.optional(text),
  modifiedBefore: z.optional(text),
  /**
   * Path of a folder that contains the file at any depth. Only whole folder names match. On Windows, case is ignored.
   */
  folder: z.optional(text),
})
export type SearchWhere = z.infer<typeof SearchWhere>

/**
 * Order of files. `relevance`: whole names first, then starts of words; newest first among equals. Unknown values
 * from later releases count as `relevance`.
 */
export type SearchSort = 'relevance' | 'name' | 'modified' | '-modified' | 'size' | '-size' | (string & {})
/** An order of any release. */
const searchSort: z.ZodMiniType<SearchSort, SearchSort> = text

/** Default maximum number of rows per device and scope. */
export const defaultSearchLimit = 1000

/** Conditions, order and limit of a search, as devices receive them. */
export const SearchSelection = z.object({
  where: z.optional(SearchWhere),
  /** Order of the files. @default relevance */
  sort: z.optional(searchSort),
  /** Maximum number of rows per device. @default 1000 */
  limit: z.optional(count),
})
export type SearchSelection = z.infer<typeof SearchSelection>

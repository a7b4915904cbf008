import * as z from 'zod/mini'

/** What a file is, by the extension of its name: see `fileKindOf`. Later releases may know others. */
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
 * Conditions on files, which must all hold. Lists are alternatives, bounds are inclusive.
 *
 * @example
 * { kind: ['document'], modifiedAfter: '2026-01-01T00:00:00Z', folder: '/home/ann/Documents' }
 */
export const SearchWhere = z.object({
  kind: z.optional(z.array(fileKind)),
  /** Ends of names, without the dot; case does not count. */
  extension: z.optional(z.array(text)),
  minBytes: z.optional(count),
  maxBytes: z.optional(count),
  modifiedAfter: z.optional(text),
  modifiedBefore: z.optional(text),
  /** Path of the folder that the file lies in, at any depth; whole names only. On Windows case does not count. */
  folder: z.optional(text),
})
export type SearchWhere = z.infer<typeof SearchWhere>

/**
 * Order of files: `relevance` is whole names first, then starts of words; newest first among equals. Later releases may know
 * others, which count as `relevance`.
 */
export type SearchSort = 'relevance' | 'name' | 'modified' | '-modified' | 'size' | '-size' | (string & {})
/** An order of any release. */
const searchSort: z.ZodMiniType<SearchSort, SearchSort> = text

/** Rows of a device, of one scope, if the search does not say. */
export const defaultSearchLimit = 1000

/** What a search wants of all that its text matches, as devices read it. */
export const SearchSelection = z.object({
  where: z.optional(SearchWhere),
  /** @default relevance */
  sort: z.optional(searchSort),
  /** Most rows of each device. @default 1000 */
  limit: z.optional(count),
})
export type SearchSelection = z.infer<typeof SearchSelection>

import * as z from 'zod/mini'
import { TimestampParameter } from './list-query.ts'
import { boundedString } from './text.ts'

const kinds = ['document', 'image', 'audio', 'video', 'archive', 'code', 'folder', 'other'] as const

/** What a file is, by the extension of its name: see `fileKindOf`. Later releases may know others. */
export type FileKind = (typeof kinds)[number] | (string & {})
/** A kind of any release. */
export const fileKind: z.ZodMiniType<FileKind, FileKind> = boundedString(64)
// checked against the list, typed as any: what was stored by one release is edited in another
const knownKind = z.enum(kinds) as unknown as z.ZodMiniType<FileKind, FileKind>

const bytes = z.int().check(z.gte(0))
const folder = z.string().check(z.minLength(1), z.maxLength(4096), z.regex(/^[^\0\p{Cs}]*$/u))
const extension = z.string().check(
  z.minLength(1),
  z.maxLength(64),
  // no dot in front and no slash, so that what cannot match is not accepted
  z.regex(/^[^.\0/\\\p{Cs}][^\0/\\\p{Cs}]*$/u, 'must be written without the dot in front'),
)

/**
 * Conditions on files, which must all hold. Lists are alternatives, bounds are inclusive.
 *
 * @example
 * { kind: ['document'], modifiedAfter: '2026-01-01T00:00:00Z', folder: '/home/ann/Documents' }
 */
export const SearchWhere = z.object({
  kind: z.optional(z.array(fileKind)),
  /** Ends of names, without the dot; case does not count. */
  extension: z.optional(z.array(z.string())),
  minBytes: z.optional(bytes),
  maxBytes: z.optional(bytes),
  modifiedAfter: z.optional(TimestampParameter),
  modifiedBefore: z.optional(TimestampParameter),
  /** Path of the folder that the file lies in, at any depth; whole names only. On Windows case does not count. */
  folder: z.optional(folder),
})
export type SearchWhere = z.infer<typeof SearchWhere>

/** Order of files: `relevance` is whole names first, then starts of words; newest first among equals. */
export const SearchSort = z.enum(['relevance', 'name', 'modified', '-modified', 'size', '-size'])
export type SearchSort = z.infer<typeof SearchSort>

/** Rows of a device, of one scope, if the search does not say. */
export const defaultSearchLimit = 1000
const limit = z.int().check(z.gte(1), z.lte(10_000))

/** What a search wants of all that its text matches, as devices read it. */
export const SearchSelection = z.object({
  where: z.optional(SearchWhere),
  /** @default relevance */
  sort: z.optional(SearchSort),
  /** Most rows of each device. @default 1000 */
  limit: z.optional(limit),
})
export type SearchSelection = z.infer<typeof SearchSelection>

/** What a search wants, as users write it: what is not understood is refused, because it would look like a match. */
export const selectionFields = {
  where: z.optional(
    z.strictObject({
      ...SearchWhere.shape,
      kind: z.optional(z.array(knownKind).check(z.minLength(1), z.maxLength(kinds.length))),
      extension: z.optional(z.array(extension).check(z.minLength(1), z.maxLength(64))),
    }),
  ),
  sort: SearchSelection.shape.sort,
  limit: SearchSelection.shape.limit,
}

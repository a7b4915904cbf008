import * as z from 'zod/mini'
import { SearchResults } from './search.ts'
import { searchScope, type SearchScope } from './search-scope.ts'
import { TimestampParameter } from './list-query.ts'
import { type FileKind, SearchSelection, type SearchSort, type SearchWhere } from './search-selection.ts'
import { Id, Timestamp } from './text.ts'

/** 1 to 16 scopes without duplicates. */
export const SearchScopes = z.pipe(
  z.array(searchScope).check(z.minLength(1), z.maxLength(16)),
  z.transform((scopes: SearchScope[]) => [...new Set(scopes)]),
)

/**
 * Search text of at most 1,000 characters. Must not be blank unless `where` has a condition.
 *
 * The device receives the text unchanged, because names may contain tabs, line breaks and outer spaces.
 */
export const SearchText = z.string().check(
  z.maxLength(1000),
  // C27: stores cannot keep U+0000, and UTF-8 cannot encode broken Unicode
  z.regex(/^[^\0\p{Cs}]*$/u, 'must not hold U+0000 or broken Unicode'),
)

// checked against lists, typed as any: what one release has stored is edited in another
const kind = z.enum([
  'document',
  'image',
  'audio',
  'video',
  'archive',
  'code',
  'folder',
  'other',
]) as unknown as z.ZodMiniType<FileKind, FileKind>
const sort = z.enum([
  'relevance',
  'name',
  'modified',
  '-modified',
  'size',
  '-size',
]) as unknown as z.ZodMiniType<SearchSort, SearchSort>
const bytes = z.int().check(z.gte(0))
const extension = z.string().check(
  z.minLength(1),
  z.maxLength(64),
  // no dot in front and no slash, so that what cannot match is not accepted
  z.regex(/^[^.\0/\\\p{Cs}][^\0/\\\p{Cs}]*$/u, 'must be written without the dot in front'),
)
const folder = z
  .string()
  .check(
    z.minLength(1),
    z.maxLength(4096),
    z.regex(/^[^\0\p{Cs}]*$/u, 'must not hold U+0000 or broken Unicode'),
  )

/**
 * Conditions of a search as users write them. Unknown conditions are rejected, because ignoring one would return too
 * many files.
 */
export const selectionFields = {
  where: z.optional(
    z.strictObject({
      kind: z.optional(z.array(kind).check(z.minLength(1), z.maxLength(16))),
      extension: z.optional(z.array(extension).check(z.minLength(1), z.maxLength(64))),
      minBytes: z.optional(bytes),
      maxBytes: z.optional(bytes),
      modifiedAfter: z.optional(TimestampParameter),
      modifiedBefore: z.optional(TimestampParameter),
      folder: z.optional(folder),
    }),
  ),
  sort: z.optional(sort),
  limit: z.optional(z.int().check(z.gte(1), z.lte(10_000))),
}

/**
 * Removes empty fields from a selection. Returns undefined if no field is left.
 *
 * @example
 * toSelection({ where: {}, limit: 10 }) // { limit: 10 }
 */
export function toSelection({
  where = {},
  sort: order,
  limit,
}: SearchSelection): SearchSelection | undefined {
  const conditions = Object.entries(where).filter(([, value]) => value !== undefined)
  const selection = {
    ...(conditions.length > 0 && { where: Object.fromEntries(conditions) }),
    ...(order !== undefined && { sort: order }),
    ...(limit !== undefined && { limit }),
  }
  return Object.keys(selection).length > 0 ? selection : undefined
}

/** Checks a body with a search text and {@link selectionFields}: without a text, at least one condition is required. */
export const hasTextOrWhere = z.refine(
  (body) => {
    const { query, where } = body as { readonly query: string; readonly where?: SearchWhere } // the fields it stands beside
    return query.trim() !== '' || toSelection({ where })?.where !== undefined
  },
  { error: 'must not be blank without a field of where', path: ['query'] },
)

/** `pending` until the device reports or the time runs out. */
export const SearchStatus = z.enum(['pending', 'completed', 'failed'])
export type SearchStatus = z.infer<typeof SearchStatus>

/** A search with its results, as users see it. */
export const SearchQuery = z.object({
  id: Id,
  device: z.object({ id: Id, name: z.string() }),
  /** Group of the search. Absent if the group was deleted. */
  groupId: z.optional(Id),
  query: z.string(),
  scope: z.array(searchScope),
  ...SearchSelection.shape,
  /** Results of the search; null while `pending`. A failed search may have the results of the scopes that succeeded. */
  results: z.nullable(SearchResults),
  /** Whether the results were deleted because of their age. `results` is then null. */
  resultsGone: z.optional(z.literal(true)),
  status: SearchStatus,
  createdAt: Timestamp,
  /** Time at which the search ended or expired. */
  completedAt: z.nullable(Timestamp),
  /** Reason for the failure. Present if `status` is `failed`. */
  error: z.optional(z.string()),
})
export type SearchQuery = z.infer<typeof SearchQuery>

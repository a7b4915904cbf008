import * as z from 'zod/mini'
import { SearchResults } from './search.ts'
import { searchScope, type SearchScope } from './search-scope.ts'
import { TimestampParameter } from './list-query.ts'
import { type FileKind, SearchSelection, type SearchSort, type SearchWhere } from './search-selection.ts'
import { Id, Timestamp } from './text.ts'

/** 1 to 16 scopes, repeats removed. */
export const SearchScopes = z.pipe(
  z.array(searchScope).check(z.minLength(1), z.maxLength(16)),
  z.transform((scopes: SearchScope[]) => [...new Set(scopes)]),
)

/**
 * Search text: at most 1,000 characters, and not only spaces unless `where` has a condition. It reaches the device as it was
 * given, because names may hold tabs, line breaks and outer spaces.
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

/** The conditions of a search, as users write them: an unknown condition is rejected, because it would look like a match. */
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
 * The fields of a selection that say something; undefined if none does.
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

/** Check of a body with a search text and {@link selectionFields}: without a text it needs a condition. */
export const hasTextOrWhere = z.refine(
  (body) => {
    const { query, where } = body as { readonly query: string; readonly where?: SearchWhere } // the fields it stands beside
    return query.trim() !== '' || toSelection({ where })?.where !== undefined
  },
  { error: 'must not be blank without a field of where', path: ['query'] },
)

/** `pending` until the device reports, or its time runs out. */
export const SearchStatus = z.enum(['pending', 'completed', 'failed'])
export type SearchStatus = z.infer<typeof SearchStatus>

/** A search with its results, as dashboards see it. */
export const SearchQuery = z.object({
  id: Id,
  device: z.object({ id: Id, name: z.string() }),
  /** Group of the search. Absent if the group was deleted. */
  groupId: z.optional(Id),
  query: z.string(),
  scope: z.array(searchScope),
  ...SearchSelection.shape,
  /** Null while the search is `pending`. A failed search may have the results of the scopes that worked. */
  results: z.nullable(SearchResults),
  /** The results were deleted because of their age. `results` is null then. */
  resultsGone: z.optional(z.literal(true)),
  status: SearchStatus,
  createdAt: Timestamp,
  /** When the search ended or expired. */
  completedAt: z.nullable(Timestamp),
  /** Why it failed. Present if `status` is `failed`. */
  error: z.optional(z.string()),
})
export type SearchQuery = z.infer<typeof SearchQuery>

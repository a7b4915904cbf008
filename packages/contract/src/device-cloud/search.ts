import * as z from 'zod/mini'
import { searchScope } from './search-scope.ts'
import { fileKind, SearchSelection } from './search-selection.ts'
import { boundedString, Id, Timestamp } from './text.ts'

/**
 * A line of a text that holds the search text. `line` counts from 1, in a document the lines of the text that was read from it; a
 * long line is cut to the part around the text. `page` is that of a PDF, or the slide of a presentation.
 */
export const FileMatch = z.object({
  line: z.int().check(z.gte(1)),
  text: z.string(),
  page: z.optional(z.int().check(z.gte(1))),
})
export type FileMatch = z.infer<typeof FileMatch>

/** A file that matched. `size` in bytes, `modified` ISO 8601. */
export const FoundFile = z.object({
  path: z.string(),
  name: z.string(),
  size: z.int().check(z.gte(0)),
  modified: Timestamp,
  /** `folder` for a folder. Where it is absent, the name says what the file is: see `fileKindOf`. */
  kind: z.optional(fileKind),
  /** The first lines that contain the search text, if the scope `content` found the file. */
  matches: z.optional(z.array(FileMatch)),
})
export type FoundFile = z.infer<typeof FoundFile>

/** An installed application. */
export const FoundApp = z.object({ name: z.string(), path: z.string(), running: z.boolean() })
export type FoundApp = z.infer<typeof FoundApp>

/** Facts about the machine, for people to read. */
export const SystemFacts = z.object({ cpu: z.string(), memory: z.string(), disk: z.string() })
export type SystemFacts = z.infer<typeof SystemFacts>

/**
 * Why something is unread: a root is not there, its reader has no right, its disk does not respond, a file holds no text, or
 * a part of a provider failed. Later releases may give other reasons.
 */
export type UnreadReason =
  | 'missing_root'
  | 'denied'
  | 'silent_disk'
  | 'not_text'
  | 'provider_failed'
  | 'other'
  | (string & {})
const unreadReason: z.ZodMiniType<UnreadReason, UnreadReason> = boundedString(64)

/** What a search could not see, so that its absence from the results says nothing. */
export const Unread = z.object({
  scope: searchScope,
  reason: unreadReason,
  /** A folder or file: everything below it is unread. Absent where it is spread over the scope. */
  path: z.optional(z.string()),
  /** How many folders, files or parts it is. */
  count: z.int().check(z.gte(1)),
})
export type Unread = z.infer<typeof Unread>

/**
 * Why documents were not read: they are larger than the limits, damaged, need a password, hold pictures only, took too long, or
 * nothing on the device reads their format. Later releases may give other reasons.
 */
export type SkippedReason =
  | 'too_large'
  | 'unreadable'
  | 'encrypted'
  | 'no_text'
  | 'timeout'
  | 'unsupported'
  | (string & {})
const skippedReason: z.ZodMiniType<SkippedReason, SkippedReason> = boundedString(64)

/** Documents whose text was not searched, for one reason. */
export const Skipped = z.object({ reason: skippedReason, count: z.int().check(z.gte(1)) })
export type Skipped = z.infer<typeof Skipped>

/**
 * What a device found, by scope. Files that the scope `content` found stand in `files`, with their `matches`. Scopes of an
 * integrator's own stand under their name.
 */
export const SearchResults = z.catchall(
  z.object({
    files: z.optional(z.array(FoundFile)),
    apps: z.optional(z.array(FoundApp)),
    system: z.optional(SystemFacts),
    /** Scopes whose rows were cut to fit the limits. */
    truncated: z.optional(z.record(z.string(), z.boolean())),
    /** What could not be seen. */
    unread: z.optional(z.array(Unread)),
    /** Documents that the scope `content` could not read. */
    skipped: z.optional(z.array(Skipped)),
    /** Where the files come from: `index`, `walk`, `catalog` of a device that has not answered, or another word of a later release. */
    source: z.optional(z.string()),
    /** When the device last looked at its files. */
    asOf: z.optional(Timestamp),
  }),
  z.unknown(),
)
export type SearchResults = z.infer<typeof SearchResults>

const notes: readonly string[] = ['truncated', 'unread', 'skipped', 'source', 'asOf']
/** Whether a key of results says how complete or how old they are. The others are scopes. */
export const isResultNote = (key: string): boolean => notes.includes(key)

/** What was found, by scope, without what the results say about themselves. */
export function foundScopes(results: SearchResults): readonly (readonly [scope: string, found: unknown])[] {
  return Object.entries(results).filter(([key]) => !isResultNote(key))
}

/** A search as its device fetches it. */
export const SearchRequest = z.object({
  id: Id,
  query: z.string(),
  scope: z.array(searchScope),
  createdAt: Timestamp,
  /** Who asks: the actor of the session, or else `owner`. Older clouds leave it out. */
  actor: z.optional(z.string()),
  ...SearchSelection.shape,
})
export type SearchRequest = z.infer<typeof SearchRequest>

/** What a device reports. A non-empty `error` makes the search `failed`. */
export const SearchReport = z.object({
  /** `id` of the search, from the pending list. */
  queryId: Id,
  /** Checked for its form only. The stored value does not change. */
  query: z.optional(z.string().check(z.maxLength(1000))),
  scope: z.optional(z.array(z.string().check(z.maxLength(64))).check(z.maxLength(16))),
  /** Required if there is no `error`. */
  results: z.nullish(SearchResults),
  /** Why the search failed. An empty string or null means that it did not fail. */
  error: z.nullish(z.string().check(z.maxLength(4096))),
})
export type SearchReport = z.infer<typeof SearchReport>

/** The answer to a report that made its search failed. */
export const FailedReportReply = z.object({
  success: z.literal(false),
  queryId: Id,
  status: z.literal('failed'),
  error: z.string(),
})

/** How a search ended. */
export const SearchReportReply = z.discriminatedUnion('status', [
  z.object({ success: z.literal(true), queryId: Id, status: z.literal('completed') }),
  FailedReportReply,
])
export type SearchReportReply = z.infer<typeof SearchReportReply>

import * as z from 'zod/mini'
import { searchScope } from './search-scope.ts'
import { fileKind, SearchSelection } from './search-selection.ts'
import { boundedString, Id, Timestamp } from './text.ts'

/**
 * A line that contains the search text.
 *
 * `line` counts from 1; in documents, it counts the lines of the extracted text. A long line is cut to the part
 * around the text. `page` is the page of a PDF or the slide of a presentation.
 */
export const FileMatch = z.object({
  line: z.int().check(z.gte(1)),
  text: z.string(),
  page: z.optional(z.int().check(z.gte(1))),
})
export type FileMatch = z.infer<typeof FileMatch>

/** A file that matched. `size` is in bytes, `modified` is ISO 8601. */
export const FoundFile = z.object({
  path: z.string(),
  name: z.string(),
  size: z.int().check(z.gte(0)),
  modified: Timestamp,
  /** `folder` for a folder. If absent, derive the kind from the name: see `fileKindOf`. */
  kind: z.optional(fileKind),
  /** The first lines that contain the search text, if the scope `content` found the file. */
  matches: z.optional(z.array(FileMatch)),
})
export type FoundFile = z.infer<typeof FoundFile>

/** An installed application. */
export const FoundApp = z.object({ name: z.string(), path: z.string(), running: z.boolean() })
export type FoundApp = z.infer<typeof FoundApp>

/** Facts about the machine, for display. */
export const SystemFacts = z.object({ cpu: z.string(), memory: z.string(), disk: z.string() })
export type SystemFacts = z.infer<typeof SystemFacts>

/**
 * Reason for an unread path: missing root, missing permission, a disk that does not respond, a file without text, or
 * a failed part of a provider. Later releases may add reasons.
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

/** A place that a search could not read, so missing results from there prove nothing. */
export const Unread = z.object({
  scope: searchScope,
  reason: unreadReason,
  /** Folder or file; everything below it is unread. Absent if the unread places are spread over the scope. */
  path: z.optional(z.string()),
  /** Number of unread folders, files or parts. */
  count: z.int().check(z.gte(1)),
})
export type Unread = z.infer<typeof Unread>

/**
 * Reason for skipped documents: too large, damaged, protected by a password, only pictures, timed out, or unsupported
 * format. Later releases may add reasons.
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

/** Documents whose text was not searched, by reason. */
export const Skipped = z.object({ reason: skippedReason, count: z.int().check(z.gte(1)) })
export type Skipped = z.infer<typeof Skipped>

/**
 * Results of a device, by scope. Files found by the scope `content` are in `files`, with their `matches`. Custom
 * scopes are listed under their names.
 */
export const SearchResults = z.catchall(
  z.object({
    files: z.optional(z.array(FoundFile)),
    apps: z.optional(z.array(FoundApp)),
    system: z.optional(SystemFacts),
    /** Scopes whose rows were truncated to fit the limits. */
    truncated: z.optional(z.record(z.string(), z.boolean())),
    /** Places that could not be read. */
    unread: z.optional(z.array(Unread)),
    /** Documents that the scope `content` could not read. */
    skipped: z.optional(z.array(Skipped)),
    /**
     * Source of the files: `index`, `walk`, or `catalog` for a device that has not responded. Later releases may add
     * values.
     */
    source: z.optional(z.string()),
    /** Time at which the device last read its files. */
    asOf: z.optional(Timestamp),
  }),
  z.unknown(),
)
export type SearchResults = z.infer<typeof SearchResults>

const notes: readonly string[] = ['truncated', 'unread', 'skipped', 'source', 'asOf']
/** Whether a key of results is a note about completeness or age. All other keys are scopes. */
export const isResultNote = (key: string): boolean => notes.includes(key)

/** Returns the results by scope, without notes about completeness or age. */
export function foundScopes(results: SearchResults): readonly (readonly [scope: string, found: unknown])[] {
  return Object.entries(results).filter(([key]) => !isResultNote(key))
}

/** A search as its device receives it. */
export const SearchRequest = z.object({
  id: Id,
  query: z.string(),
  scope: z.array(searchScope),
  createdAt: Timestamp,
  /** Requester: the actor of the session, or else `owner`. Older clouds omit it. */
  actor: z.optional(z.string()),
  ...SearchSelection.shape,
})
export type SearchRequest = z.infer<typeof SearchRequest>

/** Report of a device. A non-empty `error` sets the search to `failed`. */
export const SearchReport = z.object({
  /** `id` of the search from the pending list. */
  queryId: Id,
  /** Only the format is checked. The stored query does not change. */
  query: z.optional(z.string().check(z.maxLength(1000))),
  scope: z.optional(z.array(z.string().check(z.maxLength(64))).check(z.maxLength(16))),
  /** Required if there is no `error`. */
  results: z.nullish(SearchResults),
  /** Reason for the failure. An empty string or null means success. */
  error: z.nullish(z.string().check(z.maxLength(4096))),
})
export type SearchReport = z.infer<typeof SearchReport>

/** Response to a report that set its search to `failed`. */
export const FailedReportReply = z.object({
  success: z.literal(false),
  queryId: Id,
  status: z.literal('failed'),
  error: z.string(),
})

/** Response to a report: the outcome of its search. */
export const SearchReportReply = z.discriminatedUnion('status', [
  z.object({ success: z.literal(true), queryId: Id, status: z.literal('completed') }),
  FailedReportReply,
])
export type SearchReportReply = z.infer<typeof SearchReportReply>

import type {
  FoundApp,
  FoundFile,
  SearchSort,
  SearchWhere,
  Skipped,
  SystemFacts,
  Unread,
} from '@homeward/contract/device-cloud'

/** One scope of one search, to be run on this device. */
export interface SearchTask {
  readonly queryId: string
  /** Search text as the user wrote it. */
  readonly query: string
  readonly scope: string
  /** Conditions on files, which must all hold. The cloud applies them too. @default none */
  readonly where?: SearchWhere
  /** Order of files, which says what is left when there are more than `maxRows`. @default relevance */
  readonly sort?: SearchSort
  /** Most rows of the answer. If there are more, it is `truncated`. */
  readonly maxRows: number
  /**
   * Aborts at the deadline of the search, and when the agent stops. Results within a second after the deadline are still
   * reported, as `truncated`.
   */
  readonly signal: AbortSignal
}

/** What a provider could not see. */
export type UnreadPart = Omit<Unread, 'scope'>

/** Results of a provider. */
export interface SearchProviderResult<Found> {
  readonly found: Found
  /** Whether there is more than `found` holds. @default false */
  readonly truncated?: boolean
  /** Where it comes from, such as `index` or `walk`. @default not said */
  readonly source?: string
  /** ISO time of what it shows, where that is not now. @default not said */
  readonly asOf?: string
  /** What could not be seen, such as a folder that may not be read. @default nothing */
  readonly unread?: readonly UnreadPart[]
  /** Documents whose text was not read. @default none */
  readonly skipped?: readonly Skipped[]
}

/**
 * Runs one scope of a search. If it throws, or if JSON cannot express its result, the scope has an error. Other scopes still
 * run.
 */
export type SearchProvider<Found = unknown> = (task: SearchTask) => Promise<SearchProviderResult<Found>>

/** Providers by scope: the documented ones, and scopes of the integrator's own. */
export interface SearchProviders {
  readonly files?: SearchProvider<readonly FoundFile[]>
  /**
   * Finds text inside files: `createContentSearch` of `@homeward/device-sdk/node`. It runs only if the policy sets
   * `contentSearch`. Its rows are reported in `results.files`.
   */
  readonly content?: SearchProvider<readonly FoundFile[]>
  readonly apps?: SearchProvider<readonly FoundApp[]>
  readonly system?: SearchProvider<SystemFacts>
  readonly [scope: string]: SearchProvider | undefined
}

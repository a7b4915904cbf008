import type {
  FoundApp,
  FoundFile,
  SearchSort,
  SearchWhere,
  Skipped,
  SystemFacts,
  Unread,
} from '@homeward/contract/device-cloud'

/** One scope of one search to run on this device. */
export interface SearchTask {
  readonly queryId: string
  /** Search text as the user wrote it. */
  readonly query: string
  readonly scope: string
  /** Conditions on files. All must be met. The cloud also applies them. @default no conditions */
  readonly where?: SearchWhere
  /** Order of files, which decides the remaining files if there are more than `maxRows`. @default relevance */
  readonly sort?: SearchSort
  /** Maximum number of rows. With more, set `truncated`. */
  readonly maxRows: number
  /**
   * Aborts at the time limit of the search, and when the agent stops. Results that arrive within a second after the
   * limit are still reported, as `truncated`.
   */
  readonly signal: AbortSignal
}

/** What a provider could not see. */
export type UnreadPart = Omit<Unread, 'scope'>

/** Results of a provider. */
export interface SearchProviderResult<Found> {
  readonly found: Found
  /** Whether there are more results than `found` contains. @default false */
  readonly truncated?: boolean
  /** Source of the results, such as `index` or `walk`. @default not reported */
  readonly source?: string
  /** ISO time of the data, if it is not current. @default not reported */
  readonly asOf?: string
  /** Places that could not be read, such as a folder without permission. @default no such places */
  readonly unread?: readonly UnreadPart[]
  /** Documents whose text was not read. @default no such documents */
  readonly skipped?: readonly Skipped[]
}

/**
 * Runs one scope of a search. If it throws, or JSON cannot represent its result, the scope gets an error, and other
 * scopes still run.
 */
export type SearchProvider<Found = unknown> = (task: SearchTask) => Promise<SearchProviderResult<Found>>

/** Providers by scope: the documented scopes, and your own. */
export interface SearchProviders {
  readonly files?: SearchProvider<readonly FoundFile[]>
  /**
   * Finds text inside files: `createContentSearch` of `@homeward/device-sdk/node`. Runs only if the policy sets
   * `contentSearch`. Its rows are reported in `results.files`.
   */
  readonly content?: SearchProvider<readonly FoundFile[]>
  readonly apps?: SearchProvider<readonly FoundApp[]>
  readonly system?: SearchProvider<SystemFacts>
  readonly [scope: string]: SearchProvider | undefined
}

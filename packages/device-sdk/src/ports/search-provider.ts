import type { FoundApp, FoundFile, SystemFacts } from '@homeward/contract/device-cloud'

/** One scope of one search, to be run on this device. */
export interface SearchTask {
  readonly queryId: string
  /** Search text as the user wrote it. */
  readonly query: string
  readonly scope: string
  /** Stop after this many rows and answer `truncated`. */
  readonly maxRows: number
  /**
   * Aborts at the search's deadline and when the agent stops. What is answered within a second after the deadline is
   * still reported, as `truncated`.
   */
  readonly signal: AbortSignal
}

/** What a provider found. */
export interface SearchProviderResult<Found> {
  readonly found: Found
  /** Whether there is more than `found` holds. @default false */
  readonly truncated?: boolean
}

/**
 * Runs one scope of a search. What it throws becomes the error of that scope, and so does a result that JSON cannot write;
 * other scopes still run.
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

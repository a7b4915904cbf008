/** Filter for summed model calls. */
export interface UsageQuery {
  /** Calls that ended at or after this ISO 8601 time. */
  readonly from: string
  /** Calls that ended before this ISO 8601 time. */
  readonly to: string
  readonly interval: 'hour' | 'day'
  readonly agentId?: string | undefined
  readonly model?: string | undefined
  readonly userId?: string | undefined
  /** Whether to sum per user. @default false */
  readonly byUsers?: boolean
  /** Maximum number of sums. */
  readonly limit: number
}

/** Usage of one agent with one model in an hour or a day. */
export interface UsageTotal {
  /** Start of the hour or day: ISO 8601 text in UTC. */
  readonly start: string
  readonly agentId: string
  readonly model: string
  /** User of the runs, with `byUsers`. Absent for runs without a user. */
  readonly userId?: string
  readonly calls: number
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cachedInputTokens: number
  readonly cacheWriteInputTokens: number
  readonly reasoningTokens: number
  /** Sum of the known `cost_usd`, in millionths of a US dollar. */
  readonly microUsd: number
  /** Number of calls with `cost_usd`, whose model had a price. */
  readonly pricedCalls: number
}

/** What waits somewhere. */
export interface WaitingCount {
  /** At most 10,000 are counted. */
  readonly count: number
  /** Since when the one that has waited longest waits, of those that were counted: ISO 8601 text in UTC. */
  readonly oldestAt: string | undefined
}

/** What waits for a worker, for a platform and for people. */
export interface Backlog {
  /** Queued tasks that are due. */
  readonly tasks: WaitingCount
  /** Messages of chats whose answer is not delivered yet. */
  readonly messages: WaitingCount
  /** Tool calls that wait for a person. */
  readonly approvals: WaitingCount
}

/** Sums over the journal's `model.completed` events. Implementations must pass `usageStoreConformance`. */
export interface UsageStore {
  /**
   * Returns sums by time, agent and model, and per user if requested, sorted in that order by code units. Times
   * without calls are left out.
   */
  sumUsage(query: UsageQuery, signal?: AbortSignal): Promise<UsageTotal[]>
  /**
   * Counts the waiting work at `now`. Uses only indexes, because it is called often.
   *
   * @param now ISO 8601 text in UTC.
   */
  readBacklog(now: string, signal?: AbortSignal): Promise<Backlog>
}

/** Which model calls are summed up. */
export interface UsageQuery {
  /** ISO 8601 text in UTC. Calls that ended then or later. */
  readonly from: string
  /** ISO 8601 text in UTC. Calls that ended before. */
  readonly to: string
  readonly interval: 'hour' | 'day'
  readonly agentId?: string | undefined
  readonly model?: string | undefined
  readonly userId?: string | undefined
  /** Whether there is a sum for each user. @default false */
  readonly byUsers?: boolean
  /** Most sums. */
  readonly limit: number
}

/** What the model calls of one agent with one model have used in an hour or a day. */
export interface UsageTotal {
  /** Begin of the hour or day: ISO 8601 text in UTC. */
  readonly start: string
  readonly agentId: string
  readonly model: string
  /** Only with `byUsers`. Absent for runs without a user. */
  readonly userId?: string
  readonly calls: number
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cachedInputTokens: number
  readonly cacheWriteInputTokens: number
  readonly reasoningTokens: number
  /** Sum of `cost_usd` of the calls that have it, in millionths of a US dollar. */
  readonly microUsd: number
  /** Calls that have `cost_usd`: their model had a price when they were made. */
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
  /** Sums by time, agent and model, and by user where the query says so: in that order, by code units. Times without a call are left out. */
  sumUsage(query: UsageQuery, signal?: AbortSignal): Promise<UsageTotal[]>
  /**
   * Counts what waits at `now`, by indexes alone: it is asked again and again.
   *
   * @param now ISO 8601 text in UTC.
   */
  readBacklog(now: string, signal?: AbortSignal): Promise<Backlog>
}

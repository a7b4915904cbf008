import type { Backlog } from '../store/ports/usage-store.ts'
import type { UsageReport } from '@homeward/contract/agent-platform'

/** Which model calls are summed up. Absent fields match everything. */
export interface UsageReportQuery {
  /** ISO 8601 text: calls that ended then or later. @default 30 days before `to`, one day with `interval: 'hour'` */
  readonly from?: string | undefined
  /** ISO 8601 text: calls that ended before. @default a millisecond from now: what has ended is in it */
  readonly to?: string | undefined
  /** @default "day" */
  readonly interval?: 'hour' | 'day' | undefined
  readonly agentId?: string | undefined
  readonly model?: string | undefined
  readonly userId?: string | undefined
  /** `user`: a sum for each user. @default sums of all users */
  readonly group?: 'user' | undefined
}

/** Usage of model calls. */
export interface UsageReports {
  /**
   * Sums up tokens and cost by hour or day in UTC, agent and model, and with `group: 'user'` by user, as far back as the journal goes.
   *
   * @throws {RuntimeError} `validation_error` for a time that is none, a range that is too long, or too many sums.
   * @example
   * const { usage } = await runtime.usage.report({ interval: 'hour' })
   */
  report(query?: UsageReportQuery, signal?: AbortSignal): Promise<UsageReport>
  /** Counts what waits now for a worker, for a messaging platform and for people; at most 10,000 of each. */
  backlog(signal?: AbortSignal): Promise<Backlog>
}

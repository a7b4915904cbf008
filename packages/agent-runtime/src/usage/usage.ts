import type { Backlog } from '../store/ports/usage-store.ts'
import type { UsageReport } from '@homeward/contract/agent-platform'

/** Filter and grouping for a usage report. Absent fields match everything. */
export interface UsageReportQuery {
  /** Calls that ended at or after this ISO 8601 time. @default 30 days before `to`, one day with `interval: 'hour'` */
  readonly from?: string | undefined
  /** Calls that ended before this ISO 8601 time. @default now */
  readonly to?: string | undefined
  /** Interval of the sums. @default "day" */
  readonly interval?: 'hour' | 'day' | undefined
  readonly agentId?: string | undefined
  readonly model?: string | undefined
  readonly userId?: string | undefined
  /** `user`: one sum per user. @default sums over all users */
  readonly group?: 'user' | undefined
}

/** Usage of model calls. */
export interface UsageReports {
  /**
   * Sums tokens and cost by hour or day in UTC, agent and model, and with `group: 'user'` by user, as far back as the
   * journal goes.
   *
   * @throws {RuntimeError} `validation_error` for an invalid time, a period that is too long, or too many sums.
   * @example
   * const { usage } = await runtime.usage.report({ interval: 'hour' })
   */
  report(query?: UsageReportQuery, signal?: AbortSignal): Promise<UsageReport>
  /** Counts the work that waits for a worker, for a messaging platform and for people; at most 10,000 of each. */
  backlog(signal?: AbortSignal): Promise<Backlog>
}

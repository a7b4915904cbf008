import type { UsageSum } from '@homeward/contract/agent-platform'
import type { UsageStore, UsageTotal } from '../store/ports/usage-store.ts'
import { RuntimeError } from '../ports/runtime-error.ts'
import type { UsageReportQuery, UsageReports } from './usage.ts'

const dayMs = 86_400_000
/** What an answer covers when nothing is said, and at the most. */
const ranges = {
  hour: { defaultMs: dayMs, mostMs: 31 * dayMs },
  day: { defaultMs: 30 * dayMs, mostMs: 366 * dayMs },
} as const
/** An answer of so many sums is two megabytes large. */
const mostSums = 10_000

/** What {@link createUsageReports} is built from. */
interface UsageReportsOptions {
  readonly store: UsageStore
  readonly now: () => number
}

/** Sums up what model calls have used and cost, by the prices at the time of the calls, as the cost of a run is (D19). */
export function createUsageReports({ store, now }: UsageReportsOptions): UsageReports {
  return {
    backlog: (signal) => store.readBacklog(new Date(now()).toISOString(), signal),
    async report(query = {}, signal) {
      const { interval = 'day', agentId, model, userId, group } = query
      const { from, to } = toRange(query, now())
      const limit = mostSums + 1
      const totals = await store.sumUsage(
        { from, to, interval, agentId, model, userId, byUsers: group === 'user', limit },
        signal,
      )
      if (totals.length > mostSums) {
        throw invalid(
          `the report has more than ${mostSums} rows. Choose a shorter time, "interval": "day", or one agent`,
        )
      }
      return { from, to, interval, usage: totals.map(toSum) }
    },
  }
}

function toRange({ from, to, interval = 'day' }: UsageReportQuery, nowMs: number) {
  const { defaultMs, mostMs } = ranges[interval]
  // `to` is not part of the range: what ended in this very millisecond is
  const toMs = to === undefined ? nowMs + 1 : Date.parse(to)
  const fromMs = from === undefined ? toMs - defaultMs : Date.parse(from)
  if (![fromMs, toMs].every(isTime))
    throw invalid('"from" and "to" must be ISO 8601 times, such as 2026-11-01T00:00:00Z')
  if (fromMs > toMs) throw invalid('"from" must be earlier than "to"')
  if (toMs - fromMs > mostMs) {
    throw invalid(
      `with "interval": "${interval}", a report covers at most ${mostMs / dayMs} days. Choose a later "from"`,
    )
  }
  return { from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString() }
}

/** Whether it is one that `Date` knows: 30 days before the first one are none. */
const isTime = (ms: number) => !Number.isNaN(new Date(ms).getTime())

function toSum(total: UsageTotal): UsageSum {
  const { calls, pricedCalls, microUsd } = total
  return {
    start: total.start,
    agent_id: total.agentId,
    ...(total.userId !== undefined && { user_id: total.userId }),
    model: total.model,
    calls,
    input_tokens: total.inputTokens,
    output_tokens: total.outputTokens,
    cached_input_tokens: total.cachedInputTokens,
    cache_write_input_tokens: total.cacheWriteInputTokens,
    reasoning_tokens: total.reasoningTokens,
    ...(pricedCalls > 0 && { cost_usd: microUsd / 1_000_000 }),
    ...(pricedCalls < calls && { unpriced_calls: calls - pricedCalls }),
  }
}

const invalid = (problem: string) =>
  new RuntimeError('validation_error', `Reporting usage failed: ${problem}.`)

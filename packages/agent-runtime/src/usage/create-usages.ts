import type { UsageSum } from '@homeward/contract/agent-platform'
import { microUsdOf, type PriceOf } from '../budgets/prices.ts'
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
  /** @default none: nothing is said about money */
  readonly priceOf?: PriceOf
  readonly now: () => number
}

/** Sums up what model calls have used (D19). */
export function createUsageReports({
  store,
  priceOf = () => undefined,
  now,
}: UsageReportsOptions): UsageReports {
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
      return { from, to, interval, usage: totals.map((total) => toSum(total, priceOf)) }
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

function toSum(total: UsageTotal, priceOf: PriceOf): UsageSum {
  const { model, inputTokens: input, outputTokens: output } = total
  const { cachedInputTokens: cacheRead, cacheWriteInputTokens: cacheWrite } = total
  const price = priceOf(model)
  return {
    start: total.start,
    agent_id: total.agentId,
    ...(total.userId !== undefined && { user_id: total.userId }),
    model,
    calls: total.calls,
    input_tokens: input,
    output_tokens: output,
    cached_input_tokens: cacheRead,
    cache_write_input_tokens: cacheWrite,
    reasoning_tokens: total.reasoningTokens,
    ...(price && { cost_usd: microUsdOf(price, { input, output, cacheRead, cacheWrite }) / 1_000_000 }),
  }
}

const invalid = (problem: string) =>
  new RuntimeError('validation_error', `Reporting usage failed: ${problem}.`)

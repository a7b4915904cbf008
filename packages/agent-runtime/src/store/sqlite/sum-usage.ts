import { yieldToEventLoop } from '../../concurrency/yield-to-event-loop.ts'
import type { UsageQuery, UsageTotal } from '../ports/usage-store.ts'
import type { Plan } from '../sql/plan.ts'
import type { UsagePlans } from '../sql/usage/usage-plans.ts'
import { joinUsage } from '../sql/usage/usage-row.ts'

/** Events that are summed up before others have their turn: some 20 ms. */
export const summedAtOnce = 10_000

/**
 * Sums up usage piece by piece: SQLite runs in this thread, and over a million events everything else would wait for
 * seconds. What is written meanwhile is not counted.
 */
export async function sumUsage(
  plans: Pick<UsagePlans, 'findUsageRange' | 'sumUsageIn'>,
  read: <Result>(plan: Plan<Result>) => Promise<Result>,
  query: UsageQuery,
): Promise<UsageTotal[]> {
  const { first, last } = await read(plans.findUsageRange(query))
  let totals: UsageTotal[] = []
  for (let start = first; start <= last; start += summedAtOnce) {
    if (start > first) await yieldToEventLoop()
    const range = { first: start, last: Math.min(last, start + summedAtOnce - 1) }
    totals = joinUsage(totals, await read(plans.sumUsageIn(range, query)), query.limit)
  }
  return totals
}

import type { Run, Usage } from '@homeward/contract/agent-platform'
import type { RunCost } from '../store/ports/run-store.ts'

/** Tokens that only some providers count. They are absent while nobody counted any. */
const optional = ['cached_input_tokens', 'cache_write_input_tokens', 'reasoning_tokens'] as const

/** Adds what was used to a sum. */
export function addTokens(sum: Usage, used: Usage): void {
  sum.input_tokens += used.input_tokens
  sum.output_tokens += used.output_tokens
  for (const name of optional) {
    const count = used[name] ?? 0
    if (count > 0) sum[name] = (sum[name] ?? 0) + count
  }
}

/** Adds what model calls have cost to a sum; with one part that nobody knows the sum is partial. */
export function addCost(sum: RunCost | undefined, cost: RunCost | undefined): RunCost | undefined {
  if (!sum || !cost) return sum ?? cost
  const microUsd = sum.microUsd + cost.microUsd
  return sum.isPartial || cost.isPartial ? { microUsd, isPartial: true } : { microUsd }
}

/** What model calls have cost, as clients see it: absent if nobody knows all of it. */
export function toCost(cost: RunCost | undefined): Pick<Run, 'cost'> {
  if (!cost || cost.isPartial) return {}
  return { cost: { amount: cost.microUsd / 1_000_000, currency: 'USD' } }
}

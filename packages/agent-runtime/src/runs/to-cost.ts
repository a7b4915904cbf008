import type { Run } from '@homeward/contract/agent-platform'
import type { RunCost } from '../store/ports/run-store.ts'

/** What model calls have cost, as clients see it: absent if nobody knows all of it. */
export function toCost(cost: RunCost | undefined): Pick<Run, 'cost'> {
  if (!cost || cost.isPartial) return {}
  return { cost: { amount: cost.microUsd / 1_000_000, currency: 'USD' } }
}

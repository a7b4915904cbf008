import type { UsageQuery, UsageTotal } from '../../ports/usage-store.ts'

/** Characters of a time that name its hour or day. */
export const startLength = { hour: 13, day: 10 } as const

/** Begin of an hour or day from the characters that name it. */
export function toStart(name: string, interval: UsageQuery['interval']): string {
  return interval === 'hour' ? `${name}:00:00.000Z` : `${name}T00:00:00.000Z`
}

/** In the order that the port promises: databases sort texts by their own rules. */
export function sortUsage(totals: readonly UsageTotal[]): UsageTotal[] {
  return totals.toSorted(
    (a, b) =>
      compare(a.start, b.start) ||
      compare(a.agentId, b.agentId) ||
      compare(a.model, b.model) ||
      compare(a.userId ?? '', b.userId ?? ''),
  )
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

/**
 * Joins sums over different events. Of all sums the first `limit` stay: one that is dropped stands behind so many already,
 * and more events bring more before it, not fewer.
 */
export function joinUsage(
  some: readonly UsageTotal[],
  others: readonly UsageTotal[],
  limit: number,
): UsageTotal[] {
  const joined = new Map<string, UsageTotal>()
  for (const total of [...some, ...others]) {
    const key = JSON.stringify([total.start, total.agentId, total.model, total.userId])
    const known = joined.get(key)
    joined.set(key, known === undefined ? total : add(known, total))
  }
  return sortUsage([...joined.values()]).slice(0, limit)
}

function add(one: UsageTotal, other: UsageTotal): UsageTotal {
  return {
    ...one,
    calls: one.calls + other.calls,
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    cachedInputTokens: one.cachedInputTokens + other.cachedInputTokens,
    cacheWriteInputTokens: one.cacheWriteInputTokens + other.cacheWriteInputTokens,
    reasoningTokens: one.reasoningTokens + other.reasoningTokens,
    microUsd: one.microUsd + other.microUsd,
    pricedCalls: one.pricedCalls + other.pricedCalls,
  }
}

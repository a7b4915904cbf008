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
    (a, b) => compare(a.start, b.start) || compare(a.agentId, b.agentId) || compare(a.model, b.model),
  )
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

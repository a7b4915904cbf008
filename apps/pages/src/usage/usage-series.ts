import type { UsageReport, UsageSum } from '@homeward/contract/agent-platform'

/** What is counted. */
export type UsageMetric = 'tokens' | 'output' | 'calls' | 'cost'
/** What each series stands for. */
export type UsageGroup = 'agent' | 'model' | 'user'

/** One point in time with a number for each series. */
interface UsagePoint {
  /** Begin of the hour or day: ISO 8601 in UTC. */
  readonly start: string
  /** In the order of the series. */
  readonly values: readonly number[]
}

/** Numbers over time, ready to draw. */
export interface UsageSeries {
  /** Agents, models or users, the largest first; the smallest may be together as {@link others}. */
  readonly names: readonly string[]
  readonly points: readonly UsagePoint[]
  readonly totals: readonly number[]
}

/** Name of the series of all that are not drawn on their own. */
export const others = 'Others'
/** More colours nobody tells apart. */
const mostSeries = 6
const hourMs = 3_600_000

const valueOf: Readonly<Record<UsageMetric, (sum: UsageSum) => number>> = {
  tokens: (sum) => sum.input_tokens + sum.output_tokens,
  output: (sum) => sum.output_tokens,
  calls: (sum) => sum.calls,
  cost: (sum) => sum.cost_usd ?? 0,
}

/** Numbers over time by agent, model or user. Hours and days without a call are zero, not left out. */
export function toSeries(report: UsageReport, metric: UsageMetric, group: UsageGroup): UsageSeries {
  const nameOf = (sum: UsageSum) =>
    group === 'user' ? (sum.user_id ?? '') : group === 'agent' ? sum.agent_id : sum.model
  const totals = new Map<string, number>()
  for (const sum of report.usage) {
    totals.set(nameOf(sum), (totals.get(nameOf(sum)) ?? 0) + valueOf[metric](sum))
  }
  const sorted = [...totals.keys()].toSorted((a, b) => (totals.get(b) ?? 0) - (totals.get(a) ?? 0))
  const names = sorted.length <= mostSeries ? sorted : [...sorted.slice(0, mostSeries - 1), others]
  const placeOf = (name: string) => {
    const place = names.indexOf(name)
    return place < 0 ? names.length - 1 : place
  }
  const byStart = new Map(startsOf(report).map((start) => [start, names.map(() => 0)]))
  const sums = names.map(() => 0)
  for (const sum of report.usage) {
    const place = placeOf(nameOf(sum))
    const value = valueOf[metric](sum)
    sums[place] = (sums[place] ?? 0) + value
    const values = byStart.get(sum.start)
    if (values) values[place] = (values[place] ?? 0) + value
  }
  return { names, points: [...byStart].map(([start, values]) => ({ start, values })), totals: sums }
}

/** Begins of all hours or days of a report. */
function startsOf({ from, to, interval }: UsageReport): string[] {
  const stepMs = interval === 'hour' ? hourMs : 24 * hourMs
  const starts: string[] = []
  for (let ms = Math.floor(Date.parse(from) / stepMs) * stepMs; ms < Date.parse(to); ms += stepMs) {
    starts.push(new Date(ms).toISOString())
  }
  return starts
}

/** All of a report together. */
export function toTotal(report: UsageReport) {
  const sum = (value: (each: UsageSum) => number) =>
    report.usage.reduce((total, each) => total + value(each), 0)
  return {
    calls: sum(valueOf.calls),
    inputTokens: sum((each) => each.input_tokens),
    outputTokens: sum((each) => each.output_tokens),
    cachedTokens: sum((each) => each.cached_input_tokens),
    /** Undefined when no model has a price. */
    costUsd: report.usage.some((each) => each.cost_usd !== undefined) ? sum(valueOf.cost) : undefined,
    /** Models that had no price at some of their calls: the cost of those calls is not in it. */
    unpriced: [...new Set(report.usage.filter(isUnpriced).map((each) => each.model))],
  }
}

/** The built-in models cost nothing. */
const isUnpriced = ({ unpriced_calls: calls = 0, model }: UsageSum) => calls > 0 && !model.startsWith('test/')

import type { FailureCause, RunTime } from '@homeward/contract/agent-platform'
import type { FailureCount, RunStore } from '../store/ports/run-store.ts'
import { toFilter } from './find-run.ts'
import type { RunQuery } from './runs.ts'

type Counting = Pick<RunStore, 'countRunTimes' | 'countFailures'>

const mostCauses = 100
const mostUsers = 10

/** How many runs that match were created when, by status. */
export async function countRunsByTime(
  store: Counting,
  query: RunQuery,
  signal?: AbortSignal,
): Promise<RunTime[]> {
  const times = new Map<string, RunTime>()
  for (const { start, status, count } of await store.countRunTimes(toFilter(query), signal)) {
    const time = times.get(start) ?? { start, runs: {} }
    times.set(start, { start, runs: { ...time.runs, [status]: count } })
  }
  return [...times.values()]
}

/** Why runs that match failed: the causes with most runs first. */
export async function countRunsByCause(
  store: Counting,
  query: RunQuery,
  signal?: AbortSignal,
): Promise<FailureCause[]> {
  const groups = new Map<string, FailureCount[]>()
  for (const failure of await store.countFailures(toFilter(query), signal)) {
    const key = keyOf(failure)
    const group = groups.get(key)
    if (group) group.push(failure)
    else groups.set(key, [failure])
  }
  const causes = [...groups.values()].map(toCause)
  return causes
    .toSorted((one, other) => other.count - one.count || (one.run_id < other.run_id ? 1 : -1))
    .slice(0, mostCauses)
}

function keyOf({ agentId, graphId, code, error }: FailureCount): string {
  // Each user has a budget, with a name of its own. Ids, times and counts make no other cause.
  const cause = code === 'budget_exceeded' ? '' : (error ?? '').replaceAll(/[0-9a-f]{8,}|\d+/gi, '#')
  return JSON.stringify([agentId, graphId, code, cause])
}

function toCause(group: readonly FailureCount[]): FailureCause {
  const newest = group.reduce((found, failure) => (failure.newest > found.newest ? failure : found))
  const sum = (value: (failure: FailureCount) => number) =>
    group.reduce((total, failure) => total + value(failure), 0)
  const users = new Set(group.flatMap(({ userId }) => userId ?? []))
  const parts = sum((failure) => failure.parts)
  return {
    ...(newest.agentId !== null && { agent_id: newest.agentId }),
    ...(newest.graphId !== null && { graph_id: newest.graphId }),
    ...(newest.code !== null && { code: newest.code }),
    error: newest.error ?? '',
    count: sum(({ count }) => count),
    ...(parts > 0 && { parts }),
    user_ids: [...users].toSorted().slice(0, mostUsers),
    users: users.size,
    ...(group.some(({ microUsd }) => microUsd !== null) && {
      cost_usd: sum(({ microUsd }) => microUsd ?? 0) / 1_000_000,
    }),
    last_at: group.reduce((last, failure) => (failure.lastAt > last ? failure.lastAt : last), ''),
    run_id: newest.newest.slice(newest.newest.indexOf(' ') + 1),
  }
}

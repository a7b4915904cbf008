import type { FailureCause, Run } from '@homeward/contract/agent-platform'
import { useSyncExternalStore } from 'react'

/** Failed runs of one agent or graph with the same cause, by a key of the cause. */
export interface FailureGroup extends FailureCause {
  readonly key: string
}

/** When a run ended, or began. */
export const endOf = ({ finished_at, created_at }: Run): string => finished_at ?? created_at

/**
 * The causes that a person has not dealt with, without runs that another run started: those fail with it, or it has dealt with them.
 * Those that can be retried come first.
 *
 * @param handled by key: until when a person has dealt with the failures of a group, ISO 8601
 * @param later by such a time: causes of the runs since then
 */
export function toFailureGroups(
  causes: readonly FailureCause[],
  handled: Readonly<Record<string, string>> = {},
  later: Readonly<Record<string, readonly FailureCause[]>> = {},
): readonly FailureGroup[] {
  const groups = causes.flatMap((cause) => {
    const key = keyOf(cause)
    const until = handled[key] ?? ''
    if (cause.last_at <= until) return []
    const since = later[until]?.find((one) => keyOf(one) === key) ?? cause
    const count = since.count - (since.parts ?? 0)
    return count > 0 ? [{ ...since, key, count }] : []
  })
  return groups.toSorted((one, other) => Number(canRetry(other)) - Number(canRetry(one)))
}

/** Times until which somebody has dealt with failures of a cause that has come up again. */
export const timesToCountFrom = (
  causes: readonly FailureCause[],
  handled: Readonly<Record<string, string>>,
): readonly string[] => [
  ...new Set(
    causes.flatMap((cause) => {
      const until = handled[keyOf(cause)]
      return until !== undefined && cause.last_at > until ? [until] : []
    }),
  ),
]

/** Causes that the same run may not meet again; a person has to change something about the others. */
const passing = new Set(['model_error', 'timeout', 'closed', 'storage_error', 'guard_failed'])

/** Whether the same runs may succeed without a change. */
export const canRetry = ({ code }: Pick<FailureCause, 'code'>): boolean =>
  code !== undefined && passing.has(code)

type Named = Partial<Pick<FailureCause, 'agent_id' | 'graph_id' | 'code' | 'error'>>

/** The same for the same agent and cause. */
function keyOf({ agent_id, graph_id, code, error = '' }: Named): string {
  // Each user has a budget, with a name of its own. Ids, times and counts make no other cause.
  const cause = code === 'budget_exceeded' ? '' : error.replaceAll(/[0-9a-f]{8,}|\d+/gi, '#')
  return [graph_id ?? '', agent_id ?? '', code ?? '', cause].join('|')
}

/** Characters of an error that tell causes apart: so many the server gives. */
const mostCompared = 500

/** Whether a failed run is one of a group: another run did not start it, and its cause is the same. */
export function isOfGroup(
  { key }: FailureGroup,
  { agent_id, graph_id, result, parent_run_id }: Run,
): boolean {
  const error = ((result && 'error' in result && result.error) || '').slice(0, mostCompared)
  const code = result && 'code' in result ? result.code : undefined
  const cause = Object.fromEntries(
    Object.entries({ agent_id, graph_id, code, error }).filter(([, value]) => value !== undefined),
  )
  return parent_run_id === undefined && keyOf(cause) === key
}

const storageKey = 'homeward.handled-failures'
const mostKept = 50
const listeners = new Set<() => void>()
const none: Readonly<Record<string, string>> = {}

let current: Readonly<Record<string, string>> | undefined

function read(): Readonly<Record<string, string>> {
  current ??= parse()
  return current
}

function parse(): Readonly<Record<string, string>> {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(storageKey) ?? '{}')
    if (typeof stored !== 'object' || stored === null) return none
    const entries = Object.entries(stored as Record<string, unknown>)
    return Object.fromEntries(
      entries.flatMap(([key, value]) => (typeof value === 'string' ? [[key, value] as const] : [])),
    )
  } catch {
    return none
  }
}

/** Remembers in this browser that a person has dealt with the failures of a group up to a time. */
export function markHandled(key: string, until: string): void {
  const others = Object.entries(read()).filter(([each]) => each !== key)
  const entries: [string, string][] = [...others, [key, until]]
  current = Object.fromEntries(entries.slice(-mostKept))
  try {
    localStorage.setItem(storageKey, JSON.stringify(current))
  } catch {
    // It counts until the page is closed.
  }
  for (const listener of listeners) listener()
}

/** Until when a person has dealt with the failures of each group, by its key. */
export function useHandledFailures(): Readonly<Record<string, string>> {
  return useSyncExternalStore((listener) => {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }, read)
}

import type { Run } from '@homeward/contract/agent-platform'
import { useSyncExternalStore } from 'react'

/** Failed runs of one agent or graph with the same cause. */
export interface FailureGroup {
  /** The same for the same agent and cause. */
  readonly key: string
  readonly agentId: string | undefined
  readonly graphId: string | undefined
  /** What went wrong, in the words of the newest run. */
  readonly cause: string
  readonly code: string | undefined
  /** Newest first. */
  readonly runs: readonly Run[]
  /** When the newest one failed: ISO 8601. */
  readonly lastAt: string
  /** US dollars; undefined if no run has a known cost. */
  readonly costUsd: number | undefined
}

const dayMs = 24 * 3_600_000
const longestCause = 160

/** When a run ended, or began. */
export const endOf = ({ finished_at, created_at }: Run): string => finished_at ?? created_at

/**
 * Groups the failures of the last 24 hours by agent and cause, the newest first.
 *
 * @param handled by key: until when a person has dealt with the failures of a group, ISO 8601
 */
export function groupFailures(
  runs: readonly Run[],
  nowMs: number,
  handled: Readonly<Record<string, string>> = {},
): readonly FailureGroup[] {
  const repeated = new Set(runs.flatMap(({ rerun_of: of }) => of ?? []))
  const groups = new Map<string, Run[]>()
  for (const run of runs) {
    // The run that asked for this one fails with it, or has dealt with it. What was run again has failed again.
    if (run.status !== 'failed' || run.parent_run_id !== undefined || repeated.has(run.id)) continue
    if (Date.parse(endOf(run)) < nowMs - dayMs) continue
    const key = keyOf(run)
    if (Date.parse(endOf(run)) <= Date.parse(handled[key] ?? '')) continue
    groups.set(key, [...(groups.get(key) ?? []), run])
  }
  return [...groups].map(toGroup).toSorted((a, b) => Date.parse(b.lastAt) - Date.parse(a.lastAt))
}

function toGroup([key, unsorted]: [string, Run[]]): FailureGroup {
  const runs = unsorted.toSorted((a, b) => Date.parse(endOf(b)) - Date.parse(endOf(a)))
  const newest = runs[0]! // a group has a run
  const costs = runs.flatMap(({ cost }) => cost?.amount ?? [])
  return {
    key,
    agentId: newest.agent_id,
    graphId: newest.graph_id,
    cause: causeOf(newest),
    code: codeOf(newest),
    runs,
    lastAt: endOf(newest),
    costUsd: costs.length > 0 ? costs.reduce((sum, cost) => sum + cost, 0) : undefined,
  }
}

function keyOf(run: Run): string {
  // Ids, times and counts make no other cause.
  const cause = causeOf(run).replaceAll(/[0-9a-f]{8,}|\d+/gi, '#')
  return [run.graph_id ?? '', run.agent_id ?? '', codeOf(run) ?? '', cause].join('|')
}

function causeOf({ result }: Run): string {
  const given = result && 'error' in result ? (result.error ?? '') : ''
  // The key of a budget names its user and its day: the same cause for all of them.
  const text = given.replaceAll(/\bbudget \S+:\S+/g, 'budget')
  if (text === '') return 'Unknown reason.'
  return text.length > longestCause ? `${text.slice(0, longestCause).trimEnd()}…` : text
}

const codeOf = ({ result }: Run) => (result && 'code' in result ? result.code : undefined)

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

import type { Lease } from '../store/ports/lease.ts'
import type { EffectOutcome, StoredEffect } from '../store/ports/effect.ts'
import type { StoredRun } from '../store/ports/run-store.ts'
import { findHeld, toRun } from './run-verbs.ts'
import type { RunRecord, Tables } from './tables.ts'
import { tell, toCopy } from './tables.ts'

/** {@link RunStore.saveEffect}, in memory. */
export function saveEffect(
  tables: Tables,
  effect: { readonly runId: string; readonly owner: string; readonly outcome: EffectOutcome },
): boolean {
  const record = findHeld(tables, effect.runId, effect.owner)
  if (record === undefined || record.steps.length === 0) return false
  record.outcomes.set(effect.outcome.key, effect.outcome)
  return true
}

/** {@link RunStore.listEffects}, in memory. */
export function listEffects(tables: Tables, runId: string): StoredEffect[] {
  const record = tables.runs.get(runId)
  if (record === undefined) return []
  return record.intents.map((intent) => {
    const outcome = record.outcomes.get(intent.key)
    return toCopy({ ...intent, ...(outcome !== undefined && { outcome }) })
  })
}

/** {@link RunStore.renewRuns}, in memory. */
export function renewRuns(
  tables: Tables,
  lease: Lease,
  ids: readonly string[],
): { readonly held: readonly string[]; readonly cancelRequested: readonly string[] } {
  const records = heldOf(tables, lease.owner, ids)
  for (const record of records) record.lease = lease
  const cancelRequested = records.filter((record) => record.cancelRequested)
  return { held: records.map(({ id }) => id), cancelRequested: cancelRequested.map(({ id }) => id) }
}

/** {@link RunStore.claimRuns}, in memory. */
export function claimRuns(
  tables: Tables,
  claim: { readonly lease: Lease; readonly now: string; readonly limit: number; readonly id?: string },
): StoredRun[] {
  const only = claim.id === undefined ? undefined : tables.runs.get(claim.id)
  const candidates = claim.id === undefined ? tables.runsByTime : only === undefined ? [] : [only]
  const claimed: RunRecord[] = []
  for (const record of candidates) {
    if (claimed.length >= claim.limit) break
    if (record.status !== 'running') continue
    if (record.lease !== undefined && record.lease.until > claim.now) continue
    countTakeOver(record, claim.lease)
    record.lease = claim.lease
    claimed.push(record)
  }
  return claimed.map(toRun)
}

/** Counts those from others that had not given it back. */
function countTakeOver(record: RunRecord, { owner }: Lease): void {
  const steps = record.steps.filter(({ messages }) => messages.length > 0).length
  const before = steps === record.takenSteps ? (record.takeOvers ?? 0) : 0
  const count = record.lease === undefined || record.lease.owner === owner ? before : before + 1
  record.takeOvers = count > 0 ? count : undefined
  record.takenSteps = steps
}

/** {@link RunStore.releaseRuns}, in memory. */
export function releaseRuns(tables: Tables, owner: string, ids: readonly string[]): void {
  for (const record of heldOf(tables, owner, ids)) {
    record.lease = undefined
    tell(tables, { topic: 'run', runId: record.id })
  }
}

/** {@link RunStore.requestRunCancel}, in memory. */
export function requestRunCancel(tables: Tables, id: string): boolean {
  const record = tables.runs.get(id)
  if (record?.status !== 'running') return false
  record.cancelRequested = true
  tell(tables, { topic: 'run', runId: id })
  return true
}

/** Asks a run that works to stop, with those below it. @returns what it was before: `still` when it waits or has ended. */
export function stopRun(tables: Tables, id: string): 'working' | 'still' | 'unknown' {
  const record = tables.runs.get(id)
  if (!requestRunCancel(tables, id)) return record === undefined ? 'unknown' : 'still'
  for (const { run } of tables.runsByTime) if (run.parentRunId === id) stopRun(tables, run.id)
  return 'working'
}

function heldOf(tables: Tables, owner: string, ids: readonly string[]): RunRecord[] {
  return [...new Set(ids)].flatMap((id) => findHeld(tables, id, owner) ?? [])
}

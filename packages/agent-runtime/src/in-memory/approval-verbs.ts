import type { Lease } from '../store/ports/lease.ts'
import type { ApprovalOutcome, ApprovalVerdict, StoredApproval } from '../store/ports/approval.ts'
import { appendEvents } from './journal-verbs.ts'
import type { Tables } from './tables.ts'
import { tell } from './tables.ts'

/** {@link RunStore.decideApproval}, in memory. */
export function decideApproval(tables: Tables, verdict: ApprovalVerdict): ApprovalOutcome {
  const approvals = tables.runs.get(verdict.runId)?.approvals
  const approval = approvals?.get(verdict.approvalId)
  if (approvals === undefined || approval === undefined) return { outcome: 'unknown' }
  if (approval.status !== 'pending') return { outcome: 'already', approval: structuredClone(approval) }
  const { status, reason, decidedAt } = verdict
  const decided = { ...approval, status, decidedAt, ...(reason !== undefined && { reason }) }
  approvals.set(decided.id, decided)
  appendEvents(tables, verdict.journal)
  tell(tables, { topic: 'run', runId: verdict.runId })
  return { outcome: 'decided', approval: structuredClone(decided), open: countOpen(approvals) }
}

/** {@link RunStore.resumeRun}, in memory. */
export function resumeRun(tables: Tables, runId: string, lease: Lease): boolean {
  const run = tables.runs.get(runId)
  if (run?.status !== 'waiting' || countOpen(run.approvals) > 0) return false
  run.status = 'running'
  run.result = undefined
  run.lease = lease
  return true
}

/** {@link RunStore.listApprovals}, in memory. */
export function listApprovals(tables: Tables, runIds: readonly string[]): StoredApproval[] {
  const records = [...new Set(runIds)].flatMap((id) => tables.runs.get(id) ?? [])
  return records.flatMap(({ approvals }) => structuredClone([...approvals.values()]))
}

function countOpen(approvals: ReadonlyMap<string, StoredApproval>): number {
  let open = 0
  for (const { status } of approvals.values()) if (status === 'pending') open += 1
  return open
}

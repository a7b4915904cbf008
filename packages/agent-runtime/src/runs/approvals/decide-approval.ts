import type { ApprovalDecision } from '@homeward/contract/agent-platform'
import type { StoredApproval } from '../../store/ports/approval.ts'
import { RuntimeError } from '../../ports/runtime-error.ts'
import { waitingBelow } from '../find-run.ts'
import type { RunsContext } from '../runs-options.ts'

const attempt = 'Deciding about a tool call'

/**
 * Writes down what a person decided about a call of a run, or of a run below it.
 *
 * @returns whether that run can go on now.
 * @throws {RuntimeError} `not_found`, `conflict`.
 */
export async function decideApproval(
  context: RunsContext,
  runId: string,
  approvalId: string,
  decision: ApprovalDecision,
): Promise<{ readonly approval: StoredApproval; readonly open: number }> {
  const { store } = context
  const run = await store.findRun(runId)
  if (!run) throw new RuntimeError('not_found', `${attempt}: there is no run with this id`)
  const agentId = run.kind === 'agent' ? run.agentId : undefined
  const outcome = await decide(context, runId, approvalId, agentId, decision)
  if (outcome) return outcome
  for await (const below of waitingBelow(store, runId)) {
    if (below.kind !== 'agent') continue
    const decided = await decide(context, below.id, approvalId, below.agentId, decision)
    if (decided) return decided
  }
  throw new RuntimeError('not_found', `${attempt}: the run has no approval with this id`)
}

async function decide(
  { store, timestamp }: RunsContext,
  runId: string,
  approvalId: string,
  agentId: string | undefined,
  { decision, reason }: ApprovalDecision,
) {
  const status = decision === 'approve' ? 'approved' : 'denied'
  const decidedAt = timestamp()
  const data = { ...(agentId !== undefined && { agent_id: agentId }), approval_id: approvalId, status }
  const outcome = await store.decideApproval({
    runId,
    approvalId,
    status,
    decidedAt,
    ...(reason !== undefined && { reason }),
    journal: [{ type: 'approval.resolved', timestamp: decidedAt, runId, data }],
  })
  if (outcome.outcome === 'already') throw new RuntimeError('conflict', `${attempt}: it was decided before`)
  return outcome.outcome === 'decided' ? outcome : undefined
}

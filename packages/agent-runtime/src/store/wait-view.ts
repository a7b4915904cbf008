import type { Approval, ListedWait, Wait } from '@homeward/contract/agent-platform'
import { decisionOf, isApproval, type StoredApproval, type StoredWait } from './ports/wait.ts'

/** A wait as clients see it. */
export function toWait(stored: StoredWait): Wait {
  const { id, runId, kind, status, message, schema, tool, args, event, url } = stored
  const { createdAt, expiresAt, settledAt, settledBy, data } = stored
  const isByPerson = status === 'answered' || status === 'declined'
  return {
    id,
    run_id: runId,
    kind,
    status,
    ...(message !== undefined && { message }),
    ...(schema && { schema }),
    ...(tool !== undefined && { tool }),
    ...(args !== undefined && { args }),
    ...(event !== undefined && { event }),
    ...(url !== undefined && { url }),
    created_at: createdAt,
    ...(expiresAt !== undefined && { expires_at: expiresAt }),
    ...(settledAt !== undefined && { answered_at: settledAt }),
    ...(isByPerson && settledBy !== undefined && { answered_by: settledBy }),
    ...(data !== undefined && { data }),
  }
}

/** A wait as lists show it. */
export const toListedWait = (stored: StoredWait): ListedWait => ({
  ...toWait(stored),
  ...(stored.agentId !== undefined && { agent_id: stored.agentId }),
  ...(stored.graphId !== undefined && { graph_id: stored.graphId }),
  ...(stored.userId !== undefined && { user_id: stored.userId }),
})

const statuses = { approve: 'approved', deny: 'denied', respond: 'responded' } as const

/** A wait for a decision about a call, as clients see approvals. */
export function toApproval(stored: StoredApproval): Approval {
  const { id, runId, tool, args, createdAt, expiresAt, settledAt, settledBy } = stored
  const made = decisionOf(stored)
  const { args: edited, text } = made ?? {}
  const reason = made?.reason ?? stored.reason
  return {
    id,
    run_id: runId,
    tool,
    args,
    status: made ? statuses[made.decision] : 'pending',
    ...(edited && { edited_args: edited }),
    ...(typeof reason === 'string' && { reason }),
    ...(typeof text === 'string' && { response: text }),
    created_at: createdAt,
    ...(expiresAt !== undefined && { expires_at: expiresAt }),
    ...(settledBy !== undefined && { decided_by: settledBy }),
    ...(settledAt !== undefined && { decided_at: settledAt }),
  }
}

/** The approvals among waits, as clients see them. */
export const toApprovals = (waits: readonly StoredWait[]): Approval[] =>
  waits.filter(isApproval).map(toApproval)

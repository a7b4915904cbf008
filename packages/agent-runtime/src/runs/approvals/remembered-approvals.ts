import type { RememberedApproval } from '@homeward/contract/agent-platform'
import { RuntimeError } from '../../ports/runtime-error.ts'
import type { RememberedCall } from '../../store/ports/approval.ts'
import type { RunsContext } from '../runs-options.ts'

const decisions = { approved: 'approve', denied: 'deny', responded: 'respond' } as const

/** Lists the remembered decisions of an agent, newest first. @throws {RuntimeError} `not_found` */
export async function listRemembered(context: RunsContext, agentId: string): Promise<RememberedApproval[]> {
  if (!(await context.agents.find(agentId))) {
    throw new RuntimeError(
      'not_found',
      'Listing remembered approvals failed: no agent has this id. List the agents to find it.',
    )
  }
  return (await context.store.listRememberedCalls(agentId)).map(toRememberedApproval)
}

/** Revokes a remembered decision. @throws {RuntimeError} `not_found` */
export async function forgetRemembered({ store }: RunsContext, agentId: string, id: string): Promise<void> {
  if ((await store.forgetRememberedCalls(agentId, id)) > 0) return
  const fact = 'the agent has no remembered approval with this id. List its remembered approvals.'
  throw new RuntimeError('not_found', `Revoking a remembered approval failed: ${fact}`)
}

function toRememberedApproval(call: RememberedCall): RememberedApproval {
  const { id, agentId, conversationId, tool, args, status, reason, response, createdAt } = call
  return {
    id,
    agent_id: agentId,
    ...(conversationId !== undefined && { conversation_id: conversationId }),
    tool,
    args,
    decision: decisions[status],
    ...(reason !== undefined && { reason }),
    ...(response !== undefined && { text: response }),
    created_at: createdAt,
  }
}

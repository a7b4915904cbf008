import type { RememberedApproval } from '@homeward/contract/agent-platform'
import { usePlatformMutation, usePlatformQuery } from '../../api/platform.ts'
import { Button } from '../buttons/button.tsx'
import { Card } from '../layout/card.tsx'
import { ErrorState } from '../states/error-state.tsx'
import { QueryView } from '../states/query-view.tsx'

const results = { approve: 'Approved', deny: 'Denied', respond: 'Answered by a person' } as const

/** What {@link RememberedApprovals} take. */
interface RememberedApprovalsProps {
  readonly agentId: string
  /** Shows only decisions about the calls of this user. */
  readonly userId?: string
}

/** Decisions about tool calls that apply to later calls of an agent. */
export function RememberedApprovals({ agentId, userId }: RememberedApprovalsProps) {
  const query = usePlatformQuery('listRememberedApprovals', {
    params: { id: agentId },
    ...(userId !== undefined && { query: { user_id: userId } }),
  })
  return (
    <Card title="Remembered approvals">
      <QueryView
        query={query}
        isEmpty={({ approvals }) => approvals.length === 0}
        empty={
          <p className="muted">Decisions appear here when you apply them to the same call of this agent.</p>
        }
      >
        {({ approvals }) => (
          <ul className="stack" data-gap="small">
            {approvals.map((approval) => (
              <RememberedItem key={approval.id} approval={approval} />
            ))}
          </ul>
        )}
      </QueryView>
    </Card>
  )
}

function RememberedItem({ approval }: { readonly approval: RememberedApproval }) {
  const { id, agent_id, user_id, conversation_id, tool, args, decision } = approval
  const forget = usePlatformMutation('forgetApproval', { invalidates: ['listRememberedApprovals'] })
  return (
    <li>
      <div className="row">
        <span className="grow foreign">
          {results[decision]}: <code>{tool}</code> <code className="small">{JSON.stringify(args)}</code>
          {user_id !== undefined && <span className="muted small"> for {user_id}</span>}
          {conversation_id !== undefined && <span className="muted small"> in one conversation</span>}
        </span>
        <Button
          isDisabled={forget.isPending}
          onPress={() => forget.mutate({ params: { id: agent_id, approval_id: id } })}
        >
          Revoke
        </Button>
      </div>
      {forget.error && <ErrorState error={forget.error} isInline />}
    </li>
  )
}

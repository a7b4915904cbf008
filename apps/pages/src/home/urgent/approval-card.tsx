import type { Run } from '@homeward/contract/agent-platform'
import { Hand } from 'lucide-react'
import { Link } from 'react-aria-components'
import { AgentName } from '../../agents/agents/agent-name.tsx'
import { ApprovalView } from '../../agents/chat/approval-view.tsx'
import '../../agents/chat/chat.css'
import { UrgentCard } from './urgent-card.tsx'

const longestTask = 300

/** A run that goes on only once a person has decided, with the decision. */
export function ApprovalCard({ run }: { readonly run: Run }) {
  return (
    <UrgentCard
      icon={Hand}
      tone="warn"
      title={
        <>
          <Link href={`/runs/${encodeURIComponent(run.id)}`}>
            {run.graph_id ?? <AgentName id={run.agent_id} />}
          </Link>{' '}
          waits for your decision
        </>
      }
    >
      <p className="muted foreign">Task: {run.task.slice(0, longestTask)}</p>
      {run.approvals.filter(isPending).map(({ id, tool, args }) => (
        <ApprovalView key={id} part={{ kind: 'approval', id, runId: run.id, tool, args }} />
      ))}
    </UrgentCard>
  )
}

/** Whether a person has still to decide. */
export const isPending = ({ status }: Run['approvals'][number]) => status === 'pending'

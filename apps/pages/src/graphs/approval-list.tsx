import { ApprovalView } from '../chat/approval-view.tsx'
import '../chat/chat.css'
import type { NodeApproval } from './graph-run-state.ts'

/** Tool calls that wait for a person, decided right here. */
export function ApprovalList({ approvals }: { readonly approvals: readonly NodeApproval[] }) {
  if (approvals.length === 0) return null
  return (
    <div className="stack" data-gap="small">
      {approvals.map(({ id, runId, tool, args }) => (
        <ApprovalView key={id} part={{ kind: 'approval', id, runId, tool, args }} />
      ))}
    </div>
  )
}

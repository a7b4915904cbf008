import type { Run } from '@homeward/contract/agent-platform'
import { usePlatformQueries } from '../../api/platform.ts'
import type { NodeApproval } from './graph-run-state.ts'

/** Which of these people have decided, by the runs that asked: here, on another page, or elsewhere. */
export function useDecidedApprovals(approvals: readonly NodeApproval[]): ReadonlySet<string> {
  const runIds = [...new Set(approvals.map(({ runId }) => runId))]
  const replies = usePlatformQueries(
    'getRun',
    runIds.map((id) => ({ params: { id } })),
  )
  return new Set(replies.flatMap((reply) => (reply ? decidedIn(reply.run) : [])))
}

const decidedIn = ({ approvals }: Run) =>
  approvals.filter(({ status }) => status !== 'pending').map(({ id }) => id)

import type { RunStatus } from '@homeward/contract/agent-platform'
import type { StoredRun } from '../../store/ports/run-store.ts'

/** Whether a run has come to its end. */
export const hasEnded = ({ status }: { readonly status: RunStatus }) =>
  status !== 'running' && status !== 'waiting'

/** The same for every process that works on the graph's run: whoever comes second joins the attempt. */
export const attemptKey = (runId: string, nodeId: string, attempt: number) => `${runId}:${nodeId}:${attempt}`

/** The node that a run was begun for; undefined when it is not one of the graph's. */
export function nodeIdOf(runId: string, { idempotencyKey = '' }: Pick<StoredRun, 'idempotencyKey'>) {
  const head = `${runId}:`
  return idempotencyKey.startsWith(head)
    ? idempotencyKey.slice(head.length, idempotencyKey.lastIndexOf(':'))
    : undefined
}

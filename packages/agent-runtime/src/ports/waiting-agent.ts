import type { GraphRunResult, RunResult, Wait } from '@homeward/contract/agent-platform'

/**
 * What a tool call ends with whose agent waits: no result yet. The run that made the call waits too, and makes it again, with
 * the same idempotency key, once that agent's run has ended.
 */
export class WaitingAgent extends Error {
  override readonly name = 'WaitingAgent'
  readonly runId: string
  readonly waits: readonly Wait[]

  constructor(runId: string, waits: readonly Wait[]) {
    super('The agent is waiting')
    this.runId = runId
    this.waits = waits
  }
}

/** Whether a run has stopped to wait, rather than ended. */
export const isWaiting = ({
  stop_reason: reason,
}: Pick<RunResult | GraphRunResult, 'stop_reason'>): boolean => reason === 'approval' || reason === 'waiting'

/** What a run that has stopped waits for. A result of an older version has approvals alone. */
export function waitsIn(result: RunResult | GraphRunResult | undefined): readonly Wait[] {
  if (!result) return []
  const approvals = 'approvals' in result ? (result.approvals ?? []) : []
  return (
    result.waits ??
    approvals.map(({ id, run_id, tool, args, created_at, expires_at }) => {
      const head = { id, run_id, kind: 'approval', status: 'open', tool, args, created_at } as const
      return expires_at === undefined ? head : { ...head, expires_at }
    })
  )
}

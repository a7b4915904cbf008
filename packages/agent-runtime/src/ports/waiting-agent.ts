import type { Approval } from '@homeward/contract/agent-platform'

/**
 * What a tool call ends with whose agent waits for a person: no result yet. The run that made the call waits too, and
 * makes it again, with the same idempotency key, once that agent's run has ended.
 */
export class WaitingAgent extends Error {
  override readonly name = 'WaitingAgent'
  readonly runId: string
  readonly approvals: readonly Approval[]

  constructor(runId: string, approvals: readonly Approval[]) {
    super('The agent is waiting for a person')
    this.runId = runId
    this.approvals = approvals
  }
}

import type { Json, JsonObject } from '@homeward/contract/agent-platform'
import type { NewJournalEvent } from './journal.ts'

/** A tool call that waits for a person. */
export interface StoredApproval {
  readonly id: string
  readonly runId: string
  /** Id of the model's tool call. */
  readonly callId: string
  readonly tool: string
  /** For people to read: without secrets. */
  readonly args: Json
  /** Identifies the tool and its arguments as the model gave them: see `hashCall`. Absent for approvals of older versions. */
  readonly callHash?: string
  readonly status: 'pending' | DecidedStatus
  /** When the call is denied if nobody has decided. Absent for approvals of older versions, which wait without an end. */
  readonly expiresAt?: string
  /** Arguments of the person, in place of the model's. */
  readonly editedArgs?: JsonObject
  readonly reason?: string
  /** What the model reads in place of a result. */
  readonly response?: string
  readonly createdAt: string
  readonly decidedAt?: string
  /** Who decided: see `Approval.decided_by`. */
  readonly decidedBy?: string
}

/** How a call was decided about. */
export type DecidedStatus = 'approved' | 'denied' | 'responded'

/** What a decision says besides its status. */
export interface DecisionDetails {
  readonly editedArgs?: JsonObject
  readonly reason?: string
  readonly response?: string
}

/** What a person decided. */
export interface ApprovalVerdict extends DecisionDetails {
  readonly runId: string
  readonly approvalId: string
  readonly status: DecidedStatus
  readonly decidedAt: string
  readonly decidedBy?: string
  /** Remembers the decision in the same write. It replaces an earlier one about the same call and scope. */
  readonly remember?: RememberedCall
  readonly journal: readonly NewJournalEvent[]
}

/** A decision that applies to later calls with the same hash. */
export interface RememberedCall extends DecisionDetails {
  readonly id: string
  readonly agentId: string
  /** The user of the run that asked; it applies to runs of that user only. Absent: it applies to runs without a user. */
  readonly userId?: string
  /** Absent if it applies in all conversations of the agent. */
  readonly conversationId?: string
  readonly tool: string
  /** For people to read: without secrets. */
  readonly args: Json
  readonly callHash: string
  readonly status: DecidedStatus
  readonly createdAt: string
}

/** Which remembered decisions of an agent: those of all users without a `userId`. */
export interface RememberedFilter {
  readonly agentId: string
  readonly userId?: string | undefined
}

/** What came of a decision. `open`: approvals of the run that still wait. */
export type ApprovalOutcome =
  | { readonly outcome: 'decided'; readonly approval: StoredApproval; readonly open: number }
  | { readonly outcome: 'already'; readonly approval: StoredApproval }
  | { readonly outcome: 'unknown' }

/** Approvals whose time is over, the oldest first, and when the next one is due. */
export interface DueApprovals {
  readonly due: readonly StoredApproval[]
  /** Absent if no other approval waits. */
  readonly nextAt?: string
}

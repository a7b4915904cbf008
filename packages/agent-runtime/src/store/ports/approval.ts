import type { Json } from '@homeward/contract/agent-platform'
import type { NewJournalEvent } from './journal.ts'

/** A tool call that waits for a person. */
export interface StoredApproval {
  readonly id: string
  readonly runId: string
  /** Id of the model's tool call. */
  readonly callId: string
  readonly tool: string
  readonly args: Json
  readonly status: 'pending' | 'approved' | 'denied'
  readonly reason?: string
  readonly createdAt: string
  readonly decidedAt?: string
}

/** What a person decided. */
export interface ApprovalVerdict {
  readonly runId: string
  readonly approvalId: string
  readonly status: 'approved' | 'denied'
  readonly reason?: string
  readonly decidedAt: string
  readonly journal: readonly NewJournalEvent[]
}

/** What came of a decision. `open`: approvals of the run that still wait. */
export type ApprovalOutcome =
  | { readonly outcome: 'decided'; readonly approval: StoredApproval; readonly open: number }
  | { readonly outcome: 'already'; readonly approval: StoredApproval }
  | { readonly outcome: 'unknown' }

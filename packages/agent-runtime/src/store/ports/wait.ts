import type {
  ApprovalDecision,
  Json,
  JsonObject,
  WaitKind,
  WaitStatus,
} from '@homeward/contract/agent-platform'
import type { RememberedCall } from './remembered-call.ts'
import type { NewJournalEvent } from './journal.ts'
import type { StoredSignal } from './signal-store.ts'
import type { Page, PageRequest } from './page.ts'

/** A current or past wait of a run: see `Wait` of the contract. */
export interface StoredWait {
  readonly id: string
  /** The waiting run. */
  readonly runId: string
  readonly kind: WaitKind
  readonly status: WaitStatus
  /** Agent or graph of the run, and its user. */
  readonly agentId?: string
  readonly graphId?: string
  readonly userId?: string
  /** Id of the waiting tool call of the model, or of the graph's node. */
  readonly callId?: string
  /** Distinguishes several questions of the same call. */
  readonly key?: string
  readonly message?: string
  readonly schema?: JsonObject
  readonly tool?: string
  /** Arguments for people, without secrets. */
  readonly args?: Json
  /** For an approval: identifies the tool and the model's arguments, see `hashCall`. */
  readonly callHash?: string
  /** Name of the event. An `event` without one waits for the time `expiresAt`. */
  readonly event?: string
  /** JSON Schema for the data of the event. */
  readonly match?: JsonObject
  readonly url?: string
  /** Chat that receives the question. @default the chat that the run came from */
  readonly to?: { readonly channel: string; readonly conversationId: string }
  readonly createdAt: string
  /** Expiry, or the time that the wait is for. Absent for approvals of older versions, which never expire. */
  readonly expiresAt?: string
  /** The answer; for an approval, the {@link ApprovalDecision}. */
  readonly data?: Json
  /** Reason why it was declined, expired or canceled. */
  readonly reason?: string
  readonly settledAt?: string
  /** Person or caller that settled the wait: see `Wait.answered_by`. */
  readonly settledBy?: string
}

/** A wait of a call for a person's decision. */
export interface StoredApproval extends StoredWait {
  readonly kind: 'approval'
  readonly callId: string
  readonly tool: string
  readonly args: Json
}

/** Settles a wait. */
export interface WaitSettlement {
  readonly runId: string
  readonly waitId: string
  readonly status: Exclude<WaitStatus, 'open'>
  readonly data?: Json
  readonly reason?: string
  readonly settledAt: string
  readonly settledBy?: string
  /** Remembers the decision about a call in the same write. Replaces an earlier one for the same call and scope. */
  readonly remember?: RememberedCall
  /**
   * The signal `settledBy` that settles the wait, counted in the same write. A wait opened after the signal stays
   * open if another wait of its run has received it.
   */
  readonly signal?: Pick<StoredSignal, 'id' | 'createdAt' | 'lastWait'>
  readonly journal: readonly NewJournalEvent[]
}

/** Outcome of a settlement. `open`: number of open waits of the run. `already`: nothing changed. */
export type WaitOutcome =
  | { readonly outcome: 'settled'; readonly wait: StoredWait; readonly open: number }
  | { readonly outcome: 'already'; readonly wait: StoredWait }
  | { readonly outcome: 'unknown' }

/** Waits whose time is over, oldest first, and the time of the next one. */
export interface DueWaits {
  readonly due: readonly StoredWait[]
  /** Time of the next wait that ends; absent if no other wait has an end. */
  readonly nextAt?: string
}

/** Filter for waits. Absent fields match everything. */
export interface WaitFilter {
  readonly id?: string | undefined
  readonly status?: WaitStatus | undefined
  readonly kind?: WaitKind | undefined
  readonly agentId?: string | undefined
  readonly runId?: string | undefined
  readonly userId?: string | undefined
}

/**
 * Store of waits, part of `RunStore`. A step of a run opens a wait (`RunStepWrite.opens`). A wait is settled once,
 * and canceled if its run ends first.
 */
export interface WaitStore {
  /** Settles a wait. A second settlement changes nothing. */
  settleWait(settlement: WaitSettlement, signal?: AbortSignal): Promise<WaitOutcome>
  /** Lists waits, newest first. */
  listWaits(filter: WaitFilter, page: PageRequest, signal?: AbortSignal): Promise<Page<StoredWait>>
  /** Lists the waits of runs; per run, in the order of opening. */
  listWaitsOf(runIds: readonly string[], signal?: AbortSignal): Promise<StoredWait[]>
  /** Lists open waits whose time is over at `now`, at most `limit`. */
  listDueWaits(now: string, limit: number, signal?: AbortSignal): Promise<DueWaits>
}

/** Whether a wait is an approval. */
export const isApproval = (wait: StoredWait): wait is StoredApproval => wait.kind === 'approval'

/** What a person decided about a call that waits. A wait that ended without a decision is a denial. */
export function decisionOf({ status, data, reason }: StoredWait): ApprovalDecision | undefined {
  if (status === 'open') return undefined
  if (status === 'answered') return data as ApprovalDecision // that is how it was parsed
  return { decision: 'deny', ...(reason !== undefined && { reason }) }
}

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

/** Something that a run waits for, or has waited for: see `Wait` of the contract. */
export interface StoredWait {
  readonly id: string
  /** The run that asked. */
  readonly runId: string
  readonly kind: WaitKind
  readonly status: WaitStatus
  /** Agent or graph of the run, and its user. */
  readonly agentId?: string
  readonly graphId?: string
  readonly userId?: string
  /** What of the run asked: id of the model's tool call, or of the graph's node. */
  readonly callId?: string
  /** Tells apart what the same call asked. */
  readonly key?: string
  readonly message?: string
  readonly schema?: JsonObject
  readonly tool?: string
  /** For people to read: without secrets. */
  readonly args?: Json
  /** Of an approval. Identifies the tool and its arguments as the model gave them: see `hashCall`. */
  readonly callHash?: string
  /** Name of the event. An `event` without one waits for the time `expiresAt`. */
  readonly event?: string
  /** JSON Schema that the data of the event match. */
  readonly match?: JsonObject
  readonly url?: string
  /** Chat that a question goes to. @default the chat that the run came from */
  readonly to?: { readonly channel: string; readonly conversationId: string }
  readonly createdAt: string
  /** When it expires, or the time that it waits for. Absent for approvals of older versions, which wait without an end. */
  readonly expiresAt?: string
  /** The answer; of an approval the {@link ApprovalDecision}. */
  readonly data?: Json
  /** Why it was declined, expired or cancelled. */
  readonly reason?: string
  readonly settledAt?: string
  /** Who settled it: see `Wait.answered_by`. */
  readonly settledBy?: string
}

/** A wait of a call for a person's decision. */
export interface StoredApproval extends StoredWait {
  readonly kind: 'approval'
  readonly callId: string
  readonly tool: string
  readonly args: Json
}

/** How a wait is settled. */
export interface WaitSettlement {
  readonly runId: string
  readonly waitId: string
  readonly status: Exclude<WaitStatus, 'open'>
  readonly data?: Json
  readonly reason?: string
  readonly settledAt: string
  readonly settledBy?: string
  /** Remembers the decision about a call in the same write. It replaces an earlier one about the same call and scope. */
  readonly remember?: RememberedCall
  /**
   * The signal `settledBy` that settles it, which is counted in the same write. A wait that was opened after the signal
   * stays open if another wait of its run has got it.
   */
  readonly signal?: Pick<StoredSignal, 'id' | 'createdAt' | 'lastWait'>
  readonly journal: readonly NewJournalEvent[]
}

/** What came of a settlement. `open`: waits of the run that are still open. `already`: nothing was changed. */
export type WaitOutcome =
  | { readonly outcome: 'settled'; readonly wait: StoredWait; readonly open: number }
  | { readonly outcome: 'already'; readonly wait: StoredWait }
  | { readonly outcome: 'unknown' }

/** Waits whose time is over, the oldest first, and when the next one is due. */
export interface DueWaits {
  readonly due: readonly StoredWait[]
  /** Absent if no other wait has an end. */
  readonly nextAt?: string
}

/** Which waits. Absent fields match everything. */
export interface WaitFilter {
  readonly id?: string | undefined
  readonly status?: WaitStatus | undefined
  readonly kind?: WaitKind | undefined
  readonly agentId?: string | undefined
  readonly runId?: string | undefined
  readonly userId?: string | undefined
}

/**
 * What runs wait for, part of `RunStore`. A wait is opened by a step of its run (`RunStepWrite.opens`), settled once, and
 * cancelled if its run ends before.
 */
export interface WaitStore {
  /** Settles a wait once; a second settlement changes nothing. */
  settleWait(settlement: WaitSettlement, signal?: AbortSignal): Promise<WaitOutcome>
  /** Newest first. */
  listWaits(filter: WaitFilter, page: PageRequest, signal?: AbortSignal): Promise<Page<StoredWait>>
  /** Waits of runs; those of each in the order they were opened. */
  listWaitsOf(runIds: readonly string[], signal?: AbortSignal): Promise<StoredWait[]>
  /** Waits that are still open at `now` although their time is over; at most `limit`. */
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

import type { JsonObject, RunEvent, RunLimits, RunResult, RunStatus } from '@homeward/contract/agent-platform'
import type { Json, Usage } from '@homeward/contract/agent-platform'
import type { ConversationAppend } from './conversation-store.ts'
import type { NewJournalEvent } from './journal.ts'
import type { ModelMessage } from './message.ts'
import type { Page, PageRequest } from './page.ts'

/** A run that is about to start. Times are ISO 8601 text in UTC. */
export interface NewRun {
  readonly id: string
  readonly agentId: string
  readonly conversationId: string
  readonly userId?: string
  readonly task: string
  readonly limits: RunLimits
  readonly store: boolean
  readonly metadata?: JsonObject
  readonly idempotencyKey?: string
  /** Model that was asked for: `provider/model-id`. */
  readonly model: string
  readonly createdAt: string
}

/** How far a run has come, so that it can go on. */
export interface RunProgress {
  readonly turns: number
  readonly toolCalls: number
  readonly usage: Usage
  /** Milliseconds it has run, waiting for people not counted. */
  readonly activeMs: number
  /** Whether it has read content that a stranger may have made (A20). */
  readonly tainted: boolean
}

/** A run as it is kept. */
export interface StoredRun extends NewRun {
  readonly status: RunStatus
  readonly progress: RunProgress
  readonly result?: RunResult
  readonly finishedAt?: string
}

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

/** Consecutive events of a run's stream; the first has the number `firstSeq`. */
export interface RunEventBatch {
  readonly firstSeq: number
  readonly events: readonly RunEvent[]
}

/** What one step of a run adds, all of it in one write. */
export interface RunStepWrite {
  readonly runId: string
  /** Messages behind those of the steps before. */
  readonly messages: readonly ModelMessage[]
  readonly progress: RunProgress
  readonly stream: RunEventBatch
  readonly journal: readonly NewJournalEvent[]
  /** Present when the run stops here until people have decided: it becomes `waiting`. */
  readonly waitFor?: { readonly approvals: readonly StoredApproval[]; readonly result: RunResult }
}

/** The end of a run, in one write with the turn that goes to the conversation. */
export interface RunFinish {
  readonly runId: string
  readonly status: 'completed' | 'failed' | 'cancelled'
  readonly result: RunResult
  readonly finishedAt: string
  readonly messages: readonly ModelMessage[]
  readonly progress: RunProgress
  readonly stream: RunEventBatch
  readonly journal: readonly NewJournalEvent[]
  /** The whole turn for the conversation; absent with `store: false`. */
  readonly conversation?: ConversationAppend
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

/** Which runs. Absent fields match everything. */
export interface RunFilter {
  readonly agentId?: string | undefined
  readonly conversationId?: string | undefined
  readonly status?: RunStatus | undefined
}

/** Where runs are kept, step by step. Implementations must pass `runStoreConformance`. */
export interface RunStore {
  /**
   * Keeps a new run as `running`. With an idempotency key that a run already has, that run is given instead and
   * nothing is kept: `created` is false.
   */
  insertRun(
    run: NewRun,
    journal: readonly NewJournalEvent[],
    signal?: AbortSignal,
  ): Promise<{ readonly run: StoredRun; readonly created: boolean }>
  /** Keeps a step. @returns false, and keeps nothing, when the run is not `running`. */
  saveRunStep(step: RunStepWrite, signal?: AbortSignal): Promise<boolean>
  /**
   * Ends a run that is `running` or `waiting`; approvals that still wait are denied.
   *
   * @returns false, and changes nothing, when it has ended.
   */
  finishRun(finish: RunFinish, signal?: AbortSignal): Promise<boolean>
  /** Decides once; a second decision changes nothing. */
  decideApproval(verdict: ApprovalVerdict, signal?: AbortSignal): Promise<ApprovalOutcome>
  /**
   * Takes a `waiting` run without open approvals back to `running`; its result so far is dropped.
   *
   * @returns true for one caller only.
   */
  resumeRun(runId: string, signal?: AbortSignal): Promise<boolean>
  /** @returns undefined when there is none. */
  findRun(id: string, signal?: AbortSignal): Promise<StoredRun | undefined>
  /** Newest first. */
  listRuns(filter: RunFilter, page: PageRequest, signal?: AbortSignal): Promise<Page<StoredRun>>
  /** Approvals of a run, in the order they were asked for. */
  listApprovals(runId: string, signal?: AbortSignal): Promise<StoredApproval[]>
  /** Messages of a run's steps, in their order. */
  listRunMessages(runId: string, signal?: AbortSignal): Promise<ModelMessage[]>
  /** Batches that hold events with a number greater than `sinceSeq`, in their order. */
  listRunEvents(runId: string, sinceSeq: number, signal?: AbortSignal): Promise<RunEventBatch[]>
}

import type {
  Approval,
  ApprovalDecision,
  Run,
  RunEvent,
  RunRequest,
  RunResult,
} from '@homeward/contract/agent-platform'

/** A run that was started, or joined by its idempotency key. */
export interface RunHandle {
  readonly runId: string
  readonly conversationId: string
  /** How the run ended or where it waits. Never rejects for a failed run. */
  readonly result: Promise<RunResult>
}

/** An event of a run's stream. `seq` grows; after a crash it may skip numbers, never repeat them. */
export interface NumberedRunEvent {
  readonly seq: number
  readonly event: RunEvent
}

/** What a start may add to its request. */
export interface RunStartOptions {
  /** Cancels the run when it aborts. A caller that only stops listening has to leave it alone. */
  readonly signal?: AbortSignal
  /** Longest the run may take, in milliseconds. Narrows `limits.max_runtime`. */
  readonly maxRuntimeMs?: number
  /** Agents above this one. @default 0 */
  readonly depth?: number
  /** Whether the task may come from content that a stranger made (A20). @default false */
  readonly tainted?: boolean
}

/** Runs of agents: see `createRuns`. */
export interface Runs {
  /**
   * Starts a run and comes back as soon as it is kept.
   *
   * @throws {RuntimeError} `not_found`, `validation_error`, `model_not_configured`, `conflict`, `storage_error`,
   * `closed`.
   */
  start(request: RunRequest, options?: RunStartOptions): Promise<RunHandle>
  find(id: string): Promise<Run | undefined>
  /**
   * Events behind `sinceSeq`: those that are kept, then those that happen. Ends behind the run's last event, when
   * `signal` aborts, and when the runtime closes; stays open while the run waits for people.
   *
   * @throws {RuntimeError} `not_found`.
   */
  events(runId: string, sinceSeq: number, signal?: AbortSignal): AsyncIterable<NumberedRunEvent>
  /** Stops a run and waits until it has stopped; one that has ended stays as it is. @throws {RuntimeError} `not_found`. */
  cancel(id: string): Promise<Run>
  /**
   * Decides about a tool call that waits. The last decision of a run lets it go on.
   *
   * @throws {RuntimeError} `not_found`; `conflict` when it was decided before or the run has ended.
   */
  decideApproval(runId: string, approvalId: string, decision: ApprovalDecision): Promise<Approval>
  /**
   * Settles what a crash left behind: runs that were under way are finished as failed, and runs whose approvals were
   * all decided go on. The first call of any other verb does it too; calling it at start only makes it happen earlier.
   */
  recover(): Promise<void>
  /** Cancels what is under way and waits for it; runs that wait for people stay as they are. Safe to call twice. */
  close(): Promise<void>
}

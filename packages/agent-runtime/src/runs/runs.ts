import type {
  Approval,
  ApprovalDecision,
  FailureCause,
  GraphRunResult,
  Json,
  ListedWait,
  RememberedApproval,
  RerunRequest,
  Run,
  RunEvent,
  RunMessageMode,
  RunMessageRequest,
  RunRequest,
  RunResult,
  RunSort,
  RunSource,
  RunStatus,
  RunTime,
  TraceStep,
  Undo,
  Wait,
  SentSignal,
  SignalRequest,
  WaitAnswer,
  WaitKind,
  WaitStatus,
} from '@homeward/contract/agent-platform'
import type { FileReference } from '../ports/file.ts'
import type { BudgetAccount } from '../store/ports/budget-store.ts'
import type { NewJournalEvent } from '../store/ports/journal.ts'
import type { NewGraphRun, RunBeginning } from '../store/ports/new-run.ts'
import type { FeedbackFilter } from '../store/ports/feedback-store.ts'
import type { Subjects } from '../store/ports/run-store.ts'
import type { StoredWait, WaitSettlement } from '../store/ports/wait.ts'

// The words for a run, from the outside in:
// - NewRun, StoredRun: what the store is given, and what it has (store/ports/run-store.ts).
// - RunHandle, GraphHandle: what a caller gets of a run that it started or joined.
// - LiveRun: a run of either kind that this process has; LiveEnd: how it stopped here.
// - LoadedRun: an agent's run as it was read from the store, or has just begun.
// - AgentRunState: what an agent's run has come to; ActiveRun: the same with what its turns need.
// - RunWriter: what is written of it.
// - RunStop: why its turns stopped: a RunEnd, or a RunPause for people or other runs.
// - EndedRun: what listeners hear of a run that has ended.

/** A run that was started, or joined by its idempotency key or id. */
export interface RunHandle {
  readonly runId: string
  readonly conversationId: string
  /**
   * Result of the run, or its state while it waits.
   *
   * A run in another process is waited for, and taken over if that process has ended. Does not reject for a failed
   * run. Rejects with {@link RuntimeError} `closed` if the runtime is closed with a durable store: the run then
   * resumes at the next start.
   */
  readonly result: Promise<RunResult>
}

/** A graph run that was started or joined. */
export interface GraphHandle {
  readonly runId: string
  /** Result of the run, or its state while it waits. Rejects as {@link RunHandle.result} does. */
  readonly result: Promise<GraphRunResult>
}

/**
 * An event of a run's stream.
 *
 * `seq` increases, and stored events never change their number. After a crash, some numbers are skipped, because an
 * event that was sent but not stored, such as half an answer, is not in the run's history. Events that replace it
 * have larger numbers.
 */
export interface NumberedRunEvent {
  readonly seq: number
  readonly event: RunEvent
}

/** Options for reading the events of a run. */
export interface RunEventsOptions {
  /**
   * Whether to include `reasoning` events, with the number of the event before them. They are never stored, so a
   * reader only receives those in memory of its process.
   *
   * @default false
   */
  readonly reasoning?: boolean
  /**
   * Whether the events also end, after the `approval` events, when the run waits for people. To continue later, read
   * them again from there.
   *
   * @default false
   */
  readonly untilWaiting?: boolean
  /** Whether to end with the newest existing event, even if the run is still active. @default false */
  readonly untilNow?: boolean
}

/** Options for starting a run, in addition to the request. */
export interface RunStartOptions {
  /** Cancels the run when it aborts, even a joined one. Do not abort it only to stop listening. */
  readonly signal?: AbortSignal
  /** Value of `source` for the run. @default api */
  readonly source?: RunSource
  /** Time limit of the run in milliseconds, if lower than `limits.max_runtime`. */
  readonly maxRuntimeMs?: number
  /** Instructions for this run, added after the agent's own. At most 1,000,000 characters. @default none */
  readonly instructions?: string
  /**
   * Files that are already stored, such as those of a task, instead of the request's.
   *
   * @default the files of the request
   */
  readonly storedFiles?: readonly FileReference[]
  /** Id for the task's message in its conversation, unless the request has one. @default derived from the run's id */
  readonly questionId?: string
  /** Whether an earlier attempt may have stored the task under that id. @default false */
  readonly isRetry?: boolean
  /** Number of agents above this one. @default 0 */
  readonly depth?: number
  /** Whether the task may contain untrusted content. @default false */
  readonly tainted?: boolean
  /** Run that starts this run. If it waits, it resumes when this run has ended. @default no parent run */
  readonly parentRunId?: string
  /** Whether the parent run continues without waiting. Its agent gets the result as a message. @default false */
  readonly background?: true
  /**
   * Checks an output that matches `output_schema`, while this process has the run.
   *
   * @returns the problem, for the model
   * @default no further check
   */
  readonly checkOutput?: (output: Json) => Promise<string | undefined>
  /** Makes the first model call use a tool, or this tool. @default the model decides */
  readonly toolChoice?: 'required' | { readonly tool: string }
  /**
   * The run to continue. Its messages, and everything it read, precede those of the request.
   *
   * For a run that has not ended or whose messages were deleted, `output` is used as its answer. With `firstWait`,
   * the number of a wait of that run, the answer is the one that opened that wait, and later messages are left out.
   * Requires `store: false`.
   *
   * @default no earlier run
   */
  readonly previous?: { readonly runId: string; readonly output: string; readonly firstWait?: number }
  /** Budget accounts of the calling run; the run's own are added. @default no further accounts */
  readonly accounts?: readonly BudgetAccount[]
}

/** A run that has ended. */
export interface EndedRun {
  readonly id: string
  readonly parentRunId?: string
}

/** Filter for runs. Absent fields match everything. */
export interface RunQuery {
  readonly agentId?: string | undefined
  readonly graphId?: string | undefined
  /** Runs that this run started. */
  readonly parentRunId?: string | undefined
  readonly conversationId?: string | undefined
  readonly userId?: string | undefined
  /** Runs of one of these agents or graphs. */
  readonly within?: Subjects | undefined
  readonly status?: RunStatus | undefined
  readonly source?: RunSource | undefined
  /** Runs with feedback of any user or of one user. */
  readonly feedback?: FeedbackFilter | undefined
  /** Words in the task or the output, all required, in any order. */
  readonly text?: string | undefined
  /** Runs created at or after this ISO 8601 time. */
  readonly from?: string | undefined
  /** Runs created before this ISO 8601 time. */
  readonly to?: string | undefined
  /** Ended runs with at least this cost, in US dollars. */
  readonly minCost?: number | undefined
  /** Order. @default -created_at: newest first */
  readonly sort?: RunSort | undefined
  /** Page size, 1 to 500. @default 100 */
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
}

/** Filter for waits. Absent fields except `status` match everything. */
export interface WaitQuery {
  /** Status of the waits. @default open */
  readonly status?: WaitStatus | undefined
  readonly kind?: WaitKind | undefined
  readonly agentId?: string | undefined
  /** The waiting run. */
  readonly runId?: string | undefined
  readonly userId?: string | undefined
  /** Page size, 1 to 500. @default 100 */
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
}

/** A page of a list of waits. */
export interface WaitPage {
  readonly waits: ListedWait[]
  /** Cursor of the next page; absent on the last page. */
  readonly nextCursor?: string
}

/** Answers that are stored in a write of the caller's own: `resume` has to follow it. */
interface RunAnswers {
  /** What is wrong with the answer to a question; undefined for nothing. */
  problemOf(wait: StoredWait, data: Json): Promise<string | undefined>
  /** How a wait ends. Checks nothing. */
  toSettlement(
    wait: StoredWait,
    how: Pick<WaitSettlement, 'status' | 'data' | 'reason'>,
    settledBy: string | undefined,
  ): WaitSettlement
  /** Lets a run go on if nothing that it waits for is open. */
  resume(runId: string): void
}

/** Number of runs per source. */
export type RunCounts = Readonly<Partial<Record<RunSource, number>>>

/** A page of a list of runs. */
export interface RunPage {
  readonly runs: Run[]
  /** Cursor of the next page; absent on the last page. */
  readonly nextCursor?: string
}

/** Runs of agents and of graphs: see `createRuns`. */
export interface Runs {
  /**
   * Starts a run and comes back as soon as it is kept. With a known idempotency key it joins that run, wherever it is.
   *
   * @throws {RuntimeError} `not_found`, `validation_error`, `model_not_configured`, `conflict`, `storage_error`,
   * `closed`.
   */
  start(request: RunRequest, options?: RunStartOptions): Promise<RunHandle>
  /**
   * Starts an agent's run again, in a conversation of its own: from its start, or from one of its steps. Then what came before the step
   * is taken over, and nothing of it is done again. `isNew` is false if the idempotency key gave the run that was there before.
   *
   * @throws {RuntimeError} as {@link start}; `validation_error` for an unknown step, and for the run of a graph.
   */
  rerun(id: string, request?: RerunRequest): Promise<RunHandle & { readonly isNew: boolean }>
  /**
   * Starts to undo the calls of an agent's run, newest first, with the same approvals as the calls. A second request gives the same
   * undo, which is a run of its own. Calls of tools without `undo` are named and left alone.
   *
   * @throws {RuntimeError} `not_found`; `conflict` if the run works or waits; `validation_error` for the run of a graph, and for an
   * undo.
   * @example
   * const { id } = await runtime.runs.undo(runId)
   * await (await runtime.runs.attach(id)).result
   * console.log((await runtime.runs.findUndo(runId)).steps)
   */
  undo(id: string): Promise<Undo>
  /** How far the undo of a run is. @throws {RuntimeError} `not_found` */
  findUndo(id: string): Promise<Undo>
  /**
   * Joins an agent's run: under way here or elsewhere, waiting, or over. A run that nobody works on goes on here.
   *
   * @param signal ends the waiting, not the run.
   * @throws {RuntimeError} `not_found`; `validation_error` for the run of a graph.
   */
  attach(runId: string, signal?: AbortSignal): Promise<RunHandle>
  /**
   * Starts the run of a graph, or joins the one with its idempotency key.
   *
   * @param signal cancels the run when it aborts.
   */
  startGraph(
    run: NewGraphRun & { readonly begun?: RunBeginning },
    journal: readonly NewJournalEvent[],
    signal?: AbortSignal,
  ): Promise<GraphHandle>
  /** @throws {RuntimeError} `not_found` */
  get(id: string): Promise<Run>
  /** @returns undefined if there is no such run. */
  find(id: string): Promise<Run | undefined>
  /**
   * Every model call and tool call of an agent's run, or every node of a graph's, also while it works. Inputs and outputs are without
   * secrets, and long ones are cut.
   *
   * @param options `prompt`: the id of a model call whose step also has the full prompt. @default none
   * @throws {RuntimeError} `not_found`; the reason of `signal`
   */
  steps(
    id: string,
    options?: { readonly prompt?: string | undefined },
    signal?: AbortSignal,
  ): Promise<TraceStep[]>
  /** In the order of `sort`. A page of large runs ends before its limit. */
  list(query?: RunQuery, signal?: AbortSignal): Promise<RunPage>
  /** Counts the newest 10,000 runs that match all filters but `source`, by source. A source without runs is absent. */
  countBySource(query?: RunQuery, signal?: AbortSignal): Promise<RunCounts>
  /** Counts the newest 10,000 runs that match by ten minutes and status, oldest first. */
  countByTime(query?: RunQuery, signal?: AbortSignal): Promise<RunTime[]>
  /** Counts the newest 10,000 failed runs that match by cause: the 100 causes with most runs. */
  countByCause(query?: RunQuery, signal?: AbortSignal): Promise<FailureCause[]>
  /**
   * Events behind `sinceSeq`: those that are kept, then those that happen. Ends behind the run's last event, when
   * `signal` aborts, and when the runtime closes; stays open while the run waits for people.
   *
   * @throws {RuntimeError} `not_found`.
   */
  events(
    runId: string,
    sinceSeq: number,
    signal?: AbortSignal,
    options?: RunEventsOptions,
  ): AsyncIterable<NumberedRunEvent>
  /**
   * Stops a run, whichever process works on it, and waits until it has stopped; one that has ended stays as it is.
   *
   * @throws {RuntimeError} `not_found`.
   */
  cancel(id: string): Promise<Run>
  /**
   * Sends a message to an agent's run that works or waits. With `steer`, the default, the next model call of the run reads it. With
   * `queue` it becomes the task of the next run in the same conversation.
   *
   * @throws {RuntimeError} `not_found`; `validation_error` for the run of a graph; `conflict` if the run has ended, or if the key
   * belongs to another message.
   */
  message(
    id: string,
    message: RunMessageRequest,
  ): Promise<{ readonly id: string; readonly mode: RunMessageMode }>
  /**
   * Lists what runs wait for, newest first.
   *
   * @example
   * const { waits } = await runtime.runs.waits({ kind: 'question' })
   */
  waits(query?: WaitQuery, signal?: AbortSignal): Promise<WaitPage>
  /**
   * Answers what a run, or a run below it, waits for, or declines to. The last answer of a run lets it go on. The same answer
   * again changes nothing.
   *
   * @param answeredBy who answered, for `Wait.answered_by`: at most 200 characters. Default: nobody is named.
   * @throws {RuntimeError} `not_found`; `conflict` if it was settled otherwise; `validation_error` if `data` does not match: then the
   * wait stays open.
   * @example
   * await runtime.runs.answerWait(runId, waitId, { data: 'blue' })
   */
  answerWait(runId: string, waitId: string, answer: WaitAnswer, answeredBy?: string): Promise<Wait>
  /** For chats, which store an answer in the same write as the message that holds it. */
  readonly answers: RunAnswers
  /**
   * Sends a signal to all runs that wait for its event and accept its data. The same `id` again within 24 hours delivers
   * nothing new.
   *
   * @throws {RuntimeError} `conflict` if another signal has this id
   * @example
   * const { delivered } = await runtime.runs.signal({ event: 'paid', data: { amount: 30 } })
   */
  signal(request: SignalRequest): Promise<{ readonly signal: SentSignal; readonly delivered: number }>
  /** Answers what waits for the login of a user to an MCP server. */
  loggedIn(server: string, userId: string): Promise<void>
  /** Answers what waits for something that an MCP server says is done, by the id that the server gave it. */
  elicited(server: string, id: string): Promise<void>
  /**
   * Decides about a tool call that waits. The last decision of a run lets it go on.
   *
   * @param decidedBy who decided, for `Approval.decided_by`: at most 200 characters. Default: nobody is named.
   * @throws {RuntimeError} `not_found`; `conflict` when it was decided before or the run has ended; `validation_error` if
   * changed arguments do not match the tool's schema.
   */
  decideApproval(
    runId: string,
    approvalId: string,
    decision: ApprovalDecision,
    decidedBy?: string,
  ): Promise<Approval>
  /**
   * Lists the newest 1,000 decisions of an agent that apply to later calls, newest first.
   *
   * @param of whose decisions: without a user, those of all
   * @throws {RuntimeError} `not_found`
   */
  rememberedApprovals(
    agentId: string,
    of?: { readonly userId?: string | undefined },
  ): Promise<RememberedApproval[]>
  /** Revokes a remembered decision. Later calls wait for a person again. @throws {RuntimeError} `not_found` */
  forgetApproval(agentId: string, id: string, of?: { readonly userId?: string | undefined }): Promise<void>
  /** Resumes runs whose process is gone and runs whose wait is over. Every other method does so too at its first call, then every few seconds. */
  recover(): Promise<void>
  /** Tells of each run that ends in this process. @returns what stops it. */
  onEnded(listener: (run: EndedRun) => void): () => void
  /**
   * Begins nothing any more and waits until nothing runs. Over a durable store the runs under way are given back, and
   * go on at the next start or in another process; otherwise they are cancelled. Runs that wait for people stay as they
   * are. Safe to call twice.
   */
  close(): Promise<void>
}

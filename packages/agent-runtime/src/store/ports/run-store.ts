import type {
  GraphRunResult,
  RunEvent,
  RunResult,
  RunSource,
  RunStatus,
  Usage,
  RunSort,
} from '@homeward/contract/agent-platform'
import type { FeedbackFilter } from './feedback-store.ts'
import type { RememberedCall, RememberedFilter } from './remembered-call.ts'
import type { StoredWait, WaitStore } from './wait.ts'
import type { EffectOutcome, ParkedEffect, StoredEffect } from './effect.ts'
import type { CheckedInput } from './given-context.ts'
import type { ConversationAppend } from './conversation-store.ts'
import type { NewJournalEvent } from './journal.ts'
import type { WithContents } from './file-store.ts'
import type { Lease } from './lease.ts'
import type { ModelMessage } from '../../ports/message.ts'
import type { NewAgentRun, NewGraphRun, NewRun, RunBeginning } from './new-run.ts'
import type { RunSpan } from './run-trace.ts'
import type { Page, PageRequest } from './page.ts'
import type { NewRunInput } from './run-input-store.ts'
import type { NewTask } from './task-store.ts'

/** Some agents and graphs. */
export interface Subjects {
  readonly agentIds: readonly string[]
  readonly graphIds: readonly string[]
}

/** Runs with one status that were created in ten minutes. */
export interface RunTimeCount {
  /** Begin of the ten minutes: ISO 8601. */
  readonly start: string
  readonly status: RunStatus
  readonly count: number
}

/** Failed runs of one agent or graph, and one user, with the same error. */
export interface FailureCount {
  readonly agentId: string | null
  readonly graphId: string | null
  readonly userId: string | null
  /** At most 500 characters. */
  readonly error: string | null
  readonly code: string | null
  readonly count: number
  /** Of these, runs that another run started. */
  readonly parts: number
  /** Cost of all of them; null if none has a known cost. */
  readonly microUsd: number | null
  /** When the last one failed: ISO 8601. */
  readonly lastAt: string
  /** Creation time and id of the newest one, with a space between them. */
  readonly newest: string
}

/** Filter and order for runs. Absent fields match everything. */
export interface RunFilter {
  readonly agentId?: string | undefined
  readonly graphId?: string | undefined
  readonly parentRunId?: string | undefined
  readonly conversationId?: string | undefined
  readonly userId?: string | undefined
  /** Agents or graphs of the runs. */
  readonly within?: Subjects | undefined
  readonly status?: RunStatus | undefined
  readonly source?: RunSource | undefined
  /** Runs with feedback of any user or of one user. */
  readonly feedback?: FeedbackFilter | undefined
  /**
   * Words in the task or the output, all required. With a `*` at its end the last word may be the beginning of one. A text
   * without words finds no run.
   */
  readonly text?: string | undefined
  /** Runs created at or after this ISO 8601 time. */
  readonly from?: string | undefined
  /** Runs created before this ISO 8601 time. */
  readonly to?: string | undefined
  /** Ended runs with at least this cost, in millionths of a US dollar. */
  readonly minMicroUsd?: number | undefined
  /** Order. @default -created_at */
  readonly sort?: RunSort | undefined
}

export type { NewAgentRun, NewGraphRun, NewRun } from './new-run.ts'

/** What model calls have cost, by the prices at the time of each. */
export interface RunCost {
  readonly microUsd: number
  /** Whether a model that was called has no price: then nobody knows what all of it has cost. @default false */
  readonly isPartial?: boolean
}

/** Progress of a run, stored so that the run can resume. */
export interface RunProgress {
  readonly turns: number
  readonly toolCalls: number
  readonly usage: Usage
  /** Active time in milliseconds, without waiting for people. */
  readonly activeMs: number
  /** Whether the run has read untrusted content. */
  readonly tainted: boolean
  /** Cost of the model calls; absent before the first call. */
  readonly cost?: RunCost
  /** Number of the last stored event. */
  readonly lastSeq?: number
  /** Warnings of providers. */
  readonly warnings?: readonly string[]
  /** Ids of this turn's waits, while some calls of the turn are not complete. */
  readonly asked?: readonly string[]
  /** Those of them whose end was reported. */
  readonly settled?: readonly string[]
  /** Input after the input guards. Absent before their check, and without guards. */
  readonly input?: CheckedInput
}

interface RunState {
  readonly status: RunStatus
  readonly progress: RunProgress
  /** Whether somebody wants it to stop. */
  readonly cancelRequested: boolean
  /** Who works on it; absent when nobody does. */
  readonly lease?: Lease
  /**
   * How often it was taken over from another owner that had not given it back, without a message kept in between; as of
   * the newest take-over. Absent when it never was.
   */
  readonly takeOvers?: number
  readonly finishedAt?: string
}

/** A stored run of an agent. */
export interface StoredAgentRun extends NewAgentRun, RunState {
  readonly result?: RunResult
}

/** A stored run of a graph. Its nodes are runs of agents with its id as `parentRunId`. */
export interface StoredGraphRun extends NewGraphRun, RunState {
  readonly result?: GraphRunResult
}

/** A stored run. */
export type StoredRun = StoredAgentRun | StoredGraphRun

/** Consecutive events of a run's stream. The first has the number `firstSeq`. */
export interface RunEventBatch {
  readonly firstSeq: number
  readonly events: readonly RunEvent[]
}

/** Data that one step adds to a run, in one write. */
export interface RunStepWrite {
  readonly runId: string
  /** Owner of the lease. If another process has taken over, nothing is written. */
  readonly owner: string
  /**
   * Whether the same write failed before and may have been stored. If the run's newest step contains it, nothing is
   * stored again.
   *
   * @default false
   */
  readonly isRepeat?: boolean
  /**
   * Tool calls that start after this write, or during it if they only read; one may already have its outcome. Entries
   * of earlier steps are removed, because their messages contain everything.
   */
  readonly intents?: readonly StoredEffect[]
  /** Messages after those of earlier steps. */
  readonly messages: readonly ModelMessage[]
  readonly progress: RunProgress
  readonly stream: RunEventBatch
  /** Calls that ended after those of earlier steps. @default no calls */
  readonly spans?: readonly RunSpan[]
  readonly journal: readonly NewJournalEvent[]
  /** Waits that start here. A graph may continue with other nodes. @default no waits */
  readonly opens?: readonly StoredWait[]
  /** Present if the run stops until its waits are settled: it becomes `waiting`, with its result so far. */
  readonly waitFor?: { readonly result: RunResult | GraphRunResult }
}

/** The end of a run, in one write with its turn of the conversation. */
export interface RunFinish {
  readonly runId: string
  /** Owner of the lease; undefined for a `waiting` run, which any process may end. */
  readonly owner: string | undefined
  readonly status: 'completed' | 'failed' | 'cancelled'
  readonly result: RunResult | GraphRunResult
  readonly finishedAt: string
  /** Time from creation to end, in milliseconds. */
  readonly durationMs: number
  /** Task and output as shown to people, for full-text search. */
  readonly searched: readonly string[]
  readonly messages: readonly ModelMessage[]
  readonly progress: RunProgress
  readonly stream: RunEventBatch
  /** Calls that ended after those of earlier steps. @default no calls */
  readonly spans?: readonly RunSpan[]
  readonly journal: readonly NewJournalEvent[]
  /** The whole turn for the conversation; absent with `store: false`. */
  readonly conversation?: ConversationAppend
  /** Message to the agent that started the run in the background. */
  readonly report?: RunReport
}

/** The result of a run in the background: a message to a run of the agent that started it, or a task of that agent. */
export interface RunReport {
  /** Absent if no run works or waits. */
  readonly input?: NewRunInput
  /** Stored if there is no such run, or if it has ended by now. */
  readonly task: NewTask
}

/** The store of runs, step by step. Implementations must pass `runStoreConformance`. */
export interface RunStore extends WaitStore {
  /**
   * Stores a new run as `running`, for the owner of the lease.
   *
   * If a run with the same idempotency key exists, that run is returned and nothing is stored: `created` is false.
   * The same write stores its files as `saveFiles` does, the step that it starts after as its first step, and its
   * question as `appendMessages` does. The run then gets the `questionSeq` of the question and the
   * `conversationCreatedAt` of its conversation.
   *
   * @throws {RuntimeError} as `appendMessages` does for the question. Nothing is stored then.
   */
  insertRun(
    run: WithContents<NewRun> & { readonly begun?: RunBeginning; readonly question?: ConversationAppend },
    lease: Lease,
    journal: readonly NewJournalEvent[],
    signal?: AbortSignal,
  ): Promise<{ readonly run: StoredRun; readonly created: boolean }>
  /**
   * Stores a step.
   *
   * A failed write must be repeated unchanged with `isRepeat` before any other write of the run. If the first one was
   * stored after all, the repeat stores nothing and returns true, even if the run waits in the meantime.
   *
   * @returns false without a change if the run is not `running` or the owner has lost it.
   */
  saveRunStep(step: RunStepWrite, signal?: AbortSignal): Promise<boolean>
  /**
   * Records the outcome of one of several tool calls, or that it waits for an answer, before the step with all
   * outcomes. A call of a program is recorded completely, and listed after those of the step.
   *
   * @returns false without a change if the run is not `running` or the owner has lost it.
   */
  saveEffect(
    effect: {
      readonly runId: string
      readonly owner: string
      readonly outcome: EffectOutcome | ParkedEffect | StoredEffect
    },
    signal?: AbortSignal,
  ): Promise<boolean>
  /** Lists the tool calls that the newest step announced, in their order, with known outcomes. */
  listEffects(runId: string, signal?: AbortSignal): Promise<StoredEffect[]>
  /**
   * Ends a run that is `running` or `waiting`. Its open waits are canceled.
   *
   * @returns false without a change if it has already ended or another process owns it.
   * @throws {RuntimeError} `not_found` and `conflict` as `appendMessages` does for the turn. Nothing changes then.
   */
  finishRun(finish: RunFinish, signal?: AbortSignal): Promise<boolean>
  /**
   * Renews the leases of runs.
   *
   * @returns those that the owner still holds, and which of them to cancel. Stop work on the others.
   */
  renewRuns(
    lease: Lease,
    ids: readonly string[],
    signal?: AbortSignal,
  ): Promise<{ readonly held: readonly string[]; readonly cancelRequested: readonly string[] }>
  /**
   * Claims `running` runs whose lease expired or was released, oldest first, each for one caller.
   *
   * A claim from another owner that had not released the run increases its `takeOvers`, which are reset with each
   * stored message.
   */
  claimRuns(
    claim: { readonly lease: Lease; readonly now: string; readonly limit: number; readonly id?: string },
    signal?: AbortSignal,
  ): Promise<StoredRun[]>
  /** Releases runs that the owner does not continue. Another process, or the next start, takes them over. */
  releaseRuns(owner: string, ids: readonly string[], signal?: AbortSignal): Promise<void>
  /** Requests the owner of a `running` run to cancel it. @returns false if the run is not `running`. */
  requestRunCancel(id: string, signal?: AbortSignal): Promise<boolean>
  /**
   * Sets a `waiting` run back to `running` for the owner of the lease, and drops its result so far. An agent's run
   * must have no open waits. An earlier request to cancel it stays.
   *
   * @returns true for one caller only.
   */
  resumeRun(runId: string, lease: Lease, signal?: AbortSignal): Promise<boolean>
  /** Finds a run. @returns undefined if it does not exist. */
  findRun(id: string, signal?: AbortSignal): Promise<StoredRun | undefined>
  /**
   * Lists runs in the order of `sort`, by default newest first. Runs without a cost are last in `-cost`, and
   * unfinished runs in `-duration`: newest first.
   *
   * @throws {RuntimeError} `validation_error` for a cursor of another order.
   */
  listRuns(filter: RunFilter, page: PageRequest, signal?: AbortSignal): Promise<Page<StoredRun>>
  /**
   * Counts the newest 10,000 matching runs by source. `source` and `sort` are ignored. A source without runs is
   * absent.
   */
  countRunSources(filter: RunFilter, signal?: AbortSignal): Promise<Partial<Record<RunSource, number>>>
  /** Counts the newest 10,000 runs that match by ten minutes and status, oldest first. `sort` is ignored. */
  countRunTimes(filter: RunFilter, signal?: AbortSignal): Promise<RunTimeCount[]>
  /** Counts the newest 10,000 matching failed runs by subject, user and error, in any order. `status` and `sort` are ignored. */
  countFailures(filter: RunFilter, signal?: AbortSignal): Promise<FailureCount[]>
  /**
   * Finds remembered decisions about these calls, for a user or for runs without one: in a conversation and for the
   * whole agent.
   */
  findRememberedCalls(
    calls: {
      readonly agentId: string
      readonly userId?: string | undefined
      readonly conversationId: string
      readonly callHashes: readonly string[]
    },
    signal?: AbortSignal,
  ): Promise<RememberedCall[]>
  /**
   * Lists the newest 1,000 remembered decisions of an agent, newest first. At most 1,000 are stored per user; then
   * the oldest is removed.
   */
  listRememberedCalls(filter: RememberedFilter, signal?: AbortSignal): Promise<RememberedCall[]>
  /**
   * Removes one remembered decision of an agent, or all of them without an `id`.
   *
   * @returns the number of removed decisions.
   */
  forgetRememberedCalls(
    filter: RememberedFilter & { readonly id?: string },
    signal?: AbortSignal,
  ): Promise<number>
  /** Lists the messages of a run's steps in their order. */
  listRunMessages(runId: string, signal?: AbortSignal): Promise<ModelMessage[]>
  /** Lists model calls and tool calls of a run's steps, in the order in which they ended. */
  listRunSpans(runId: string, signal?: AbortSignal): Promise<RunSpan[]>
  /** Lists batches with events after `sinceSeq`, in their order. */
  listRunEvents(runId: string, sinceSeq: number, signal?: AbortSignal): Promise<RunEventBatch[]>
}

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

/** Which runs, and in which order. Absent fields match everything. */
export interface RunFilter {
  readonly agentId?: string | undefined
  readonly graphId?: string | undefined
  readonly parentRunId?: string | undefined
  readonly conversationId?: string | undefined
  readonly userId?: string | undefined
  /** Those of one of these agents or graphs. */
  readonly within?: Subjects | undefined
  readonly status?: RunStatus | undefined
  readonly source?: RunSource | undefined
  /** Those with feedback, of any user or of one. */
  readonly feedback?: FeedbackFilter | undefined
  /** Words that the task or the output has, all of them. Of a text without words: no run. */
  readonly text?: string | undefined
  /** ISO 8601 text in UTC. Created then or later. */
  readonly from?: string | undefined
  /** ISO 8601 text in UTC. Created before. */
  readonly to?: string | undefined
  /** Runs that have ended and cost at least so many millionths of a US dollar. */
  readonly minMicroUsd?: number | undefined
  /** @default -created_at */
  readonly sort?: RunSort | undefined
}

export type { NewAgentRun, NewGraphRun, NewRun } from './new-run.ts'

/** What model calls have cost, by the prices at the time of each. */
export interface RunCost {
  readonly microUsd: number
  /** Whether a model that was called has no price: then nobody knows what all of it has cost. @default false */
  readonly isPartial?: boolean
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
  /** What its model calls have cost; absent before the first one. */
  readonly cost?: RunCost
  /** Number of the last stored event. */
  readonly lastSeq?: number
  /** What providers warned of. */
  readonly warnings?: readonly string[]
  /** Ids of the waits of this turn, as long as its calls are not all made. */
  readonly asked?: readonly string[]
  /** Those of them whose end was reported. */
  readonly settled?: readonly string[]
  /** What the guards of the input left. Absent before they were asked, and without any. */
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

/** An agent's run as stored. */
export interface StoredAgentRun extends NewAgentRun, RunState {
  readonly result?: RunResult
}

/** A graph's run as stored. Its nodes are runs of agents whose `parentRunId` it is. */
export interface StoredGraphRun extends NewGraphRun, RunState {
  readonly result?: GraphRunResult
}

/** A run as stored. */
export type StoredRun = StoredAgentRun | StoredGraphRun

/** Consecutive events of a run's stream; the first has the number `firstSeq`. */
export interface RunEventBatch {
  readonly firstSeq: number
  readonly events: readonly RunEvent[]
}

/** What one step of a run adds, all of it in one write. */
export interface RunStepWrite {
  readonly runId: string
  /** Who writes: a run that somebody else works on by now is not written. */
  readonly owner: string
  /**
   * Whether this very write was made before and failed, so that it may be there all the same: when the run's newest step
   * has it, nothing is stored a second time. @default false
   */
  readonly isRepeat?: boolean
  /**
   * Tool calls that are made behind this write, or during it when they only read; one may bring its outcome along. Those
   * of the steps before are forgotten: their messages say all.
   */
  readonly intents?: readonly StoredEffect[]
  /** Messages behind those of the steps before. */
  readonly messages: readonly ModelMessage[]
  readonly progress: RunProgress
  readonly stream: RunEventBatch
  /** What ended behind those of the steps before. @default none */
  readonly spans?: readonly RunSpan[]
  readonly journal: readonly NewJournalEvent[]
  /** What the run waits for from here on; a graph may go on with other nodes. @default none */
  readonly opens?: readonly StoredWait[]
  /** Present when the run stops here until what it waits for has come: it becomes `waiting`, with its result so far. */
  readonly waitFor?: { readonly result: RunResult | GraphRunResult }
}

/** The end of a run, in one write with the turn that goes to the conversation. */
export interface RunFinish {
  readonly runId: string
  /** Who writes; undefined for a `waiting` run, which anybody may end. */
  readonly owner: string | undefined
  readonly status: 'completed' | 'failed' | 'cancelled'
  readonly result: RunResult | GraphRunResult
  readonly finishedAt: string
  /** From its creation to its end. */
  readonly durationMs: number
  /** Task and output, as people may read them: the run is found by their words. */
  readonly searched: readonly string[]
  readonly messages: readonly ModelMessage[]
  readonly progress: RunProgress
  readonly stream: RunEventBatch
  /** What ended behind those of the steps before. @default none */
  readonly spans?: readonly RunSpan[]
  readonly journal: readonly NewJournalEvent[]
  /** The whole turn for the conversation; absent with `store: false`. */
  readonly conversation?: ConversationAppend
  /** Tells the agent that started it in the background. */
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
   * Keeps a new run as `running`, for the owner of the lease. With an idempotency key that a run already has, that run
   * is given instead and nothing is stored: `created` is false. Its files are stored in the same write, as `saveFiles` does,
   * and so are the step that it starts after, as its first step, and its question, as `appendMessages` does: then the run
   * gets the `questionSeq` of that and the `conversationCreatedAt` of its conversation.
   *
   * @throws {RuntimeError} as `appendMessages` does, of the question: then nothing is stored.
   */
  insertRun(
    run: WithContents<NewRun> & { readonly begun?: RunBeginning; readonly question?: ConversationAppend },
    lease: Lease,
    journal: readonly NewJournalEvent[],
    signal?: AbortSignal,
  ): Promise<{ readonly run: StoredRun; readonly created: boolean }>
  /**
   * Keeps a step. A write that failed is made again as it was, with `isRepeat`, before any other of the run: of one that
   * was kept that keeps nothing twice, and gives true, also when the run waits since.
   *
   * @returns false, and keeps nothing, when the run is not `running` or not the owner's.
   */
  saveRunStep(step: RunStepWrite, signal?: AbortSignal): Promise<boolean>
  /**
   * Writes down how one of several tool calls ended, or that it waits for an answer, before the step that has them all. The entry
   * of a call that a program makes is written as a whole, and is listed behind those of the step.
   *
   * @returns false, and keeps nothing, when the run is not `running` or not the owner's.
   */
  saveEffect(
    effect: {
      readonly runId: string
      readonly owner: string
      readonly outcome: EffectOutcome | ParkedEffect | StoredEffect
    },
    signal?: AbortSignal,
  ): Promise<boolean>
  /** Tool calls that the newest step announced, in their order, with what is known of their ends. */
  listEffects(runId: string, signal?: AbortSignal): Promise<StoredEffect[]>
  /**
   * Ends a run that is `running` or `waiting`; its waits that are still open are cancelled.
   *
   * @returns false, and changes nothing, when it has ended or is somebody else's.
   * @throws {RuntimeError} `not_found` and `conflict` as `appendMessages` does, of the turn: then nothing is changed.
   */
  finishRun(finish: RunFinish, signal?: AbortSignal): Promise<boolean>
  /**
   * Makes the leases of runs longer.
   *
   * @returns those that the owner still has, and which of them shall be cancelled. The others are lost: stop.
   */
  renewRuns(
    lease: Lease,
    ids: readonly string[],
    signal?: AbortSignal,
  ): Promise<{ readonly held: readonly string[]; readonly cancelRequested: readonly string[] }>
  /**
   * Takes over runs that are `running` and whose lease is over or was given back, the oldest first; each for one caller.
   * From another owner that had not given it back, that counts as one of its `takeOvers`, which begin anew behind each
   * message that was kept.
   */
  claimRuns(
    claim: { readonly lease: Lease; readonly now: string; readonly limit: number; readonly id?: string },
    signal?: AbortSignal,
  ): Promise<StoredRun[]>
  /** Gives runs back that the owner does not go on with: another process, or the next start, takes them over. */
  releaseRuns(owner: string, ids: readonly string[], signal?: AbortSignal): Promise<void>
  /** Asks the owner of a `running` run to cancel it. @returns false when it is not `running`. */
  requestRunCancel(id: string, signal?: AbortSignal): Promise<boolean>
  /**
   * Takes a `waiting` run back, which has no open waits if it is an agent's, to `running`, for the owner of the lease; its result so far is
   * dropped. A request to cancel it from before it waited stays.
   *
   * @returns true for one caller only.
   */
  resumeRun(runId: string, lease: Lease, signal?: AbortSignal): Promise<boolean>
  /** @returns undefined when there is none. */
  findRun(id: string, signal?: AbortSignal): Promise<StoredRun | undefined>
  /**
   * In the order of `sort`, by default newest first. Runs without a cost come last in `-cost`, and runs that have not ended
   * in `-duration`: newest first.
   *
   * @throws {RuntimeError} `validation_error` for the cursor of another order.
   */
  listRuns(filter: RunFilter, page: PageRequest, signal?: AbortSignal): Promise<Page<StoredRun>>
  /** Counts the newest 10,000 runs that match, by source: `source` and `sort` do not count. A source without runs is absent. */
  countRunSources(filter: RunFilter, signal?: AbortSignal): Promise<Partial<Record<RunSource, number>>>
  /** Counts the newest 10,000 runs that match by ten minutes and status, oldest first. `sort` does not count. */
  countRunTimes(filter: RunFilter, signal?: AbortSignal): Promise<RunTimeCount[]>
  /** Counts the newest 10,000 failed runs that match by subject, user and error, in any order. `status` and `sort` do not count. */
  countFailures(filter: RunFilter, signal?: AbortSignal): Promise<FailureCount[]>
  /** Remembered decisions about these calls of a user, or of runs without a user: in a conversation and of the agent. */
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
   * The newest 1,000 remembered decisions of an agent, newest first. There are at most 1,000 of each user: then the oldest is
   * forgotten.
   */
  listRememberedCalls(filter: RememberedFilter, signal?: AbortSignal): Promise<RememberedCall[]>
  /** Forgets one remembered decision of an agent, or all of them without an `id`. @returns how many there were. */
  forgetRememberedCalls(
    filter: RememberedFilter & { readonly id?: string },
    signal?: AbortSignal,
  ): Promise<number>
  /** Messages of a run's steps, in their order. */
  listRunMessages(runId: string, signal?: AbortSignal): Promise<ModelMessage[]>
  /** Model calls and tool calls of a run's steps, in the order in which they ended. */
  listRunSpans(runId: string, signal?: AbortSignal): Promise<RunSpan[]>
  /** Batches that hold events with a number greater than `sinceSeq`, in their order. */
  listRunEvents(runId: string, sinceSeq: number, signal?: AbortSignal): Promise<RunEventBatch[]>
}

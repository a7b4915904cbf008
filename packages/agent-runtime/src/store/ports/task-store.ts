import type {
  ClientTool,
  Budget,
  GraphRunResult,
  JsonObject,
  ModelSettings,
  RunLimits,
  RunResult,
  TaskFailure,
  TaskStatus,
} from '@homeward/contract/agent-platform'
import type { NewJournalEvent } from './journal.ts'
import type { FileReference } from '../../ports/file.ts'
import type { WithContents } from './file-store.ts'
import type { Lease } from './lease.ts'
import type { Page, PageRequest } from './page.ts'
import type { Subjects } from './run-store.ts'

/** What a task is for. */
export type TaskSubject =
  | { readonly kind: 'agent'; readonly id: string }
  | { readonly kind: 'graph'; readonly id: string }

/** A task that is to be kept. Times are ISO 8601 text in UTC. */
export interface NewTask {
  readonly id: string
  readonly subject: TaskSubject
  readonly input: string
  /** Files that belong to the input; stored with the task. @default none */
  readonly files?: readonly FileReference[]
  readonly conversationId?: string
  readonly userId?: string
  /** Whether the input may come from a stranger (A20). */
  readonly untrusted?: true
  /** Whether it answers a message of a channel. */
  readonly channelMessage?: true
  readonly limits?: RunLimits
  readonly budget?: Budget
  readonly modelSettings?: ModelSettings
  readonly clientTools?: readonly ClientTool[]
  readonly outputSchema?: JsonObject
  readonly priority: number
  readonly maxAttempts: number
  readonly metadata?: JsonObject
  readonly idempotencyKey?: string
  /**
   * Tasks with the same key run one at a time, in the order in which they were made, over all processes: one that waits
   * for another attempt or for a person holds up those behind it.
   */
  readonly serialKey?: string
  /** Chats that get its result: the messages are stored with the task and sent once it has ended. @default none */
  readonly reportTo?: readonly { readonly channel: string; readonly conversationId: string }[]
  /** Schedule of the task, also if somebody started it with `run`. */
  readonly scheduleId?: string
  /** Run that it waits for. If that run is cancelled, the task fails. */
  readonly afterRun?: string
  /** Whether it tells of a run in the background that has ended. */
  readonly background?: true
  /** Trigger of the task. */
  readonly triggerId?: string
  /** The span that put it into the queue, as the header `traceparent` has it. */
  readonly traceparent?: string
  /** Present when a time of a schedule made it. */
  readonly scheduled?: { readonly schedule: string; readonly for: string; readonly overlap: 'skip' | 'queue' }
  readonly createdAt: string
  /** Not before. */
  readonly runAt: string
}

/** A task as it is kept. */
export interface StoredTask extends NewTask {
  readonly status: TaskStatus
  /** Number of attempts that have begun. */
  readonly attempt: number
  /**
   * Counts the runs of this task: a new attempt after a crash goes on with the same run, one after a failed run begins
   * another.
   */
  readonly runCount: number
  /** Run that the present attempt, or the last one, works on; absent while another run has yet to begin. */
  readonly runId?: string
  /** Whether somebody wants it to stop. */
  readonly cancelRequested: boolean
  /** Whether its run waits for a person: nobody works on it, and it takes no worker. */
  readonly parked: boolean
  readonly lease?: Lease
  readonly updatedAt: string
  readonly startedAt?: string
  readonly finishedAt?: string
  readonly result?: RunResult | GraphRunResult
  readonly failure?: TaskFailure
}

/** How many tasks may be taken, and for whom. */
export interface TaskClaim {
  readonly lease: Lease
  /** ISO 8601 text in UTC. */
  readonly now: string
  /** Tasks at the most. */
  readonly limit: number
  /** Tasks of one subject that may be running at a time, in all processes together. */
  readonly perSubject: number
  /**
   * Ids of the tasks that tickets of a queue name: only their subjects are served, each with at most as many tasks as are
   * named of it, the first in its order. A ticket thus takes the task it names, unless one of the same subject goes first.
   */
  readonly ticketsFor?: readonly string[]
  /** What is written into the journal about a task that was taken; without side effects. */
  readonly toEvent?: ToTaskEvent
}

/** What the journal shall say about a task, as it is after the change. */
export type ToTaskEvent = (task: StoredTask) => NewJournalEvent | undefined

/** How an attempt ended. */
export type TaskOutcome =
  | { readonly kind: 'completed'; readonly result: RunResult | GraphRunResult }
  | {
      readonly kind: 'failed'
      readonly failure: TaskFailure
      readonly result?: RunResult | GraphRunResult
      /** Its run may not have ended: see {@link TaskStore.settleTask}. */
      readonly stopsRun?: true
    }
  /** Goes back into the queue for another attempt: with another run, or with `keepsRun` for the one that was begun. */
  | { readonly kind: 'retry'; readonly runAt: string; readonly keepsRun?: true }
  /** Its run waits for a person. */
  | { readonly kind: 'parked' }
  /** Goes back into the queue, and the attempt does not count: the process shuts down. */
  | { readonly kind: 'released' }

/** The end of an attempt. */
export interface TaskSettlement {
  readonly id: string
  /** Who worked on it; undefined for a parked task, which anybody may settle once its run has ended. */
  readonly owner: string | undefined
  readonly outcome: TaskOutcome
  /** ISO 8601 text in UTC. */
  readonly now: string
  readonly toEvent?: ToTaskEvent
}

/** What came of a cancellation. `requested`: its owner has to stop it. */
export type TaskCancellation =
  | { readonly outcome: 'cancelled' | 'requested' | 'ended'; readonly task: StoredTask }
  | { readonly outcome: 'unknown' }

/** Which tasks. Absent fields match everything. */
export interface TaskFilter {
  readonly agentId?: string | undefined
  readonly graphId?: string | undefined
  readonly userId?: string | undefined
  /** Those of one of these agents or graphs. */
  readonly within?: Subjects | undefined
  readonly status?: TaskStatus | undefined
  /** Without the other fields. */
  readonly scheduleId?: string | undefined
}

/** The durable queue (A7). Implementations must pass `taskStoreConformance`. */
export interface TaskStore {
  /**
   * Keeps a task as `queued`. With an idempotency key that a task already has, that task is given instead and nothing is
   * kept: `created` is false. Its files are kept in the same write, as `saveFiles` does.
   */
  insertTask(
    task: WithContents<NewTask>,
    journal: readonly NewJournalEvent[],
    signal?: AbortSignal,
  ): Promise<{ readonly task: StoredTask; readonly created: boolean }>
  /**
   * Takes tasks that are due, as `running` with `attempt + 1`: in turn between the subjects, the one that was served
   * least recently first; within a subject by priority, then by age. A scheduled task with `overlap: 'queue'` is not
   * taken while another scheduled one of its subject runs. Parked tasks do not count as running for `perSubject`, but
   * they do for that.
   */
  claimTasks(claim: TaskClaim, signal?: AbortSignal): Promise<StoredTask[]>
  /**
   * Makes the leases of tasks longer.
   *
   * @returns those that the owner still has, and which of them shall be cancelled. The others are lost: stop.
   */
  renewTasks(
    lease: Lease,
    ids: readonly string[],
    signal?: AbortSignal,
  ): Promise<{ readonly held: readonly string[]; readonly cancelRequested: readonly string[] }>
  /** Says which run a task's attempt works on. @returns false when the owner has it no more. */
  setTaskRun(id: string, owner: string, runId: string, signal?: AbortSignal): Promise<boolean>
  /**
   * Ends an attempt. One that would go on later, although its cancellation was requested, fails as `cancelled` instead.
   *
   * With `stopsRun` the run of the task is asked to stop in the same write, with the runs below it. Where it waits or has
   * ended, the task is parked instead, as by {@link reclaimTasks}: that is its outcome.
   *
   * @returns the task as it is now; undefined, and nothing has changed, when the owner has it no more.
   */
  settleTask(settlement: TaskSettlement, signal?: AbortSignal): Promise<StoredTask | undefined>
  /**
   * Takes tasks back whose lease is over: into the queue, or to `failed` with `max_attempts` when all attempts were
   * begun, or with `cancelled` when that was requested. Each outcome is written into the journal by `toEvent`.
   *
   * In the same write the run of a task that fails is asked to stop, with the runs below it: nobody would hear of what it
   * does. Where all attempts were begun but the run waits or has ended, the task is parked instead: that is its outcome.
   *
   * @returns those tasks, as they are now.
   */
  reclaimTasks(
    reclaim: { readonly now: string; readonly limit: number; readonly toEvent?: ToTaskEvent },
    signal?: AbortSignal,
  ): Promise<StoredTask[]>
  /**
   * Cancels a queued task at once, and a parked one; asks the owner of a running one to. The journal is written when the
   * task was cancelled by this call.
   */
  cancelTask(id: string, now: string, toEvent?: ToTaskEvent, signal?: AbortSignal): Promise<TaskCancellation>
  /**
   * Puts a failed task into the queue again, its attempts counted anew, with another run.
   *
   * @returns undefined when it has not failed.
   */
  retryTask(
    id: string,
    now: string,
    toEvent?: ToTaskEvent,
    signal?: AbortSignal,
  ): Promise<StoredTask | undefined>
  /** @returns undefined when there is none. */
  findTask(id: string, signal?: AbortSignal): Promise<StoredTask | undefined>
  /** Newest first. */
  listTasks(filter: TaskFilter, page: PageRequest, signal?: AbortSignal): Promise<Page<StoredTask>>
  /** Parked tasks whose run has ended: they can be settled. */
  listSettleableTasks(limit: number, signal?: AbortSignal): Promise<StoredTask[]>
  /**
   * When the next queued task becomes due that was not due when it was put into the queue, or a lease runs out; undefined
   * when there is nothing to wait for.
   */
  nextTaskTime(signal?: AbortSignal): Promise<string | undefined>
}

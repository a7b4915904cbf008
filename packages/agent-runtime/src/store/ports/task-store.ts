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

/** The agent or graph of a task. */
export type TaskSubject =
  | { readonly kind: 'agent'; readonly id: string }
  | { readonly kind: 'graph'; readonly id: string }

/** A task to store. Times are ISO 8601 text in UTC. */
export interface NewTask {
  readonly id: string
  readonly subject: TaskSubject
  readonly input: string
  /** Files of the input, stored with the task. @default no files */
  readonly files?: readonly FileReference[]
  readonly conversationId?: string
  readonly userId?: string
  /** Whether the input may contain untrusted content. */
  readonly untrusted?: true
  /** Whether the task answers a channel message. */
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
   * Tasks with the same key run one at a time in the order of creation, over all processes. A task that waits for a
   * retry or a person blocks those after it.
   */
  readonly serialKey?: string
  /** Chats that receive the result: messages are stored with the task and sent once it has ended. @default no chats */
  readonly reportTo?: readonly { readonly channel: string; readonly conversationId: string }[]
  /** Schedule of the task, also for a manual run of the schedule. */
  readonly scheduleId?: string
  /** Run to wait for. If that run is canceled, the task fails. */
  readonly afterRun?: string
  /** Whether the task reports the end of a run in the background. */
  readonly background?: true
  /** Trigger of the task. */
  readonly triggerId?: string
  /** Span that queued the task, in the format of the `traceparent` header. */
  readonly traceparent?: string
  /** Present if a schedule created the task. */
  readonly scheduled?: { readonly schedule: string; readonly for: string; readonly overlap: 'skip' | 'queue' }
  readonly createdAt: string
  /** Earliest start. */
  readonly runAt: string
}

/** A stored task. */
export interface StoredTask extends NewTask {
  readonly status: TaskStatus
  /** Number of started attempts. */
  readonly attempt: number
  /**
   * Number of runs of this task. A retry after a crash continues the same run; a retry after a failed run starts a
   * new one.
   */
  readonly runCount: number
  /** Run of the current or last attempt; absent while a new run has not started. */
  readonly runId?: string
  /** Whether cancellation was requested. */
  readonly cancelRequested: boolean
  /** Whether its run waits for a person. The task then uses no worker. */
  readonly parked: boolean
  readonly lease?: Lease
  readonly updatedAt: string
  readonly startedAt?: string
  readonly finishedAt?: string
  readonly result?: RunResult | GraphRunResult
  readonly failure?: TaskFailure
}

/** Limits for claiming tasks. */
export interface TaskClaim {
  readonly lease: Lease
  /** ISO 8601 text in UTC. */
  readonly now: string
  /** Maximum number of tasks. */
  readonly limit: number
  /** Maximum number of running tasks per subject, in all processes together. */
  readonly perSubject: number
  /**
   * Ids of tasks from queue tickets.
   *
   * Only their subjects are served, each with at most as many tasks as it has tickets, in its order. So a ticket
   * claims its task, unless another one of the same subject comes first.
   */
  readonly ticketsFor?: readonly string[]
  /** Returns the journal event for a claimed task. Must have no side effects. */
  readonly toEvent?: ToTaskEvent
}

/** Returns the journal event for a task after the change. */
export type ToTaskEvent = (task: StoredTask) => NewJournalEvent | undefined

/** Outcome of an attempt. */
export type TaskOutcome =
  | { readonly kind: 'completed'; readonly result: RunResult | GraphRunResult }
  | {
      readonly kind: 'failed'
      readonly failure: TaskFailure
      readonly result?: RunResult | GraphRunResult
      /** Whether its run may still be active: see {@link TaskStore.settleTask}. */
      readonly stopsRun?: true
    }
  /** Goes back into the queue for another attempt: with another run, or with `keepsRun` for the one that was begun. */
  | { readonly kind: 'retry'; readonly runAt: string; readonly keepsRun?: true }
  /** Its run waits for a person. */
  | { readonly kind: 'parked' }
  /** Goes back into the queue, and the attempt does not count: the process shuts down. */
  | { readonly kind: 'released' }

/** Ends an attempt. */
export interface TaskSettlement {
  readonly id: string
  /** Owner of the lease; undefined for a parked task, which any process may settle once its run has ended. */
  readonly owner: string | undefined
  readonly outcome: TaskOutcome
  /** ISO 8601 text in UTC. */
  readonly now: string
  readonly toEvent?: ToTaskEvent
}

/** Outcome of a cancellation. `requested`: the owner has to stop the task. */
export type TaskCancellation =
  | { readonly outcome: 'cancelled' | 'requested' | 'ended'; readonly task: StoredTask }
  | { readonly outcome: 'unknown' }

/** Filter for tasks. Absent fields match everything. */
export interface TaskFilter {
  readonly agentId?: string | undefined
  readonly graphId?: string | undefined
  readonly userId?: string | undefined
  /** Agents or graphs of the tasks. */
  readonly within?: Subjects | undefined
  readonly status?: TaskStatus | undefined
  /** Schedule of the tasks. Cannot be combined with the other fields. */
  readonly scheduleId?: string | undefined
}

/** Store of the task queue. Implementations must pass `taskStoreConformance`. */
export interface TaskStore {
  /**
   * Stores a task as `queued`. If a task with the same idempotency key exists, that task is returned and nothing is
   * stored: `created` is false. Its files are stored in the same write, as `saveFiles` does.
   */
  insertTask(
    task: WithContents<NewTask>,
    journal: readonly NewJournalEvent[],
    signal?: AbortSignal,
  ): Promise<{ readonly task: StoredTask; readonly created: boolean }>
  /**
   * Claims due tasks as `running` with `attempt + 1`.
   *
   * Subjects take turns, the least recently served first. Within a subject, tasks are sorted by priority, then by
   * age. A scheduled task with `overlap: 'queue'` is not claimed while another scheduled task of its subject runs.
   * Parked tasks do not count for `perSubject`, but they count for that rule.
   */
  claimTasks(claim: TaskClaim, signal?: AbortSignal): Promise<StoredTask[]>
  /**
   * Renews the leases of tasks.
   *
   * @returns those that the owner still holds, and which of them to cancel. Stop work on the others.
   */
  renewTasks(
    lease: Lease,
    ids: readonly string[],
    signal?: AbortSignal,
  ): Promise<{ readonly held: readonly string[]; readonly cancelRequested: readonly string[] }>
  /** Records the run of a task's attempt. @returns false if the owner has lost the task. */
  setTaskRun(id: string, owner: string, runId: string, signal?: AbortSignal): Promise<boolean>
  /**
   * Ends an attempt. A retry whose cancellation was requested fails as `cancelled` instead.
   *
   * With `stopsRun`, the same write requests to stop the run of the task and the runs below it. If that run waits or
   * has ended, the task is parked instead, as by {@link reclaimTasks}.
   *
   * @returns the task after the change; undefined without a change if the owner has lost it.
   */
  settleTask(settlement: TaskSettlement, signal?: AbortSignal): Promise<StoredTask | undefined>
  /**
   * Reclaims tasks with an expired lease.
   *
   * They return to the queue, or become `failed`: with `max_attempts` if no attempt is left, or with `cancelled` if
   * that was requested. `toEvent` creates the journal event of each outcome. The same write requests to stop the run
   * of a failed task and the runs below it, because nobody would receive their results. If no attempt is left but the
   * run waits or has ended, the task is parked instead.
   *
   * @returns those tasks after the change.
   */
  reclaimTasks(
    reclaim: { readonly now: string; readonly limit: number; readonly toEvent?: ToTaskEvent },
    signal?: AbortSignal,
  ): Promise<StoredTask[]>
  /**
   * Cancels a queued or parked task at once, and requests the owner of a running one to cancel it. A journal event is
   * written if this call canceled the task.
   */
  cancelTask(id: string, now: string, toEvent?: ToTaskEvent, signal?: AbortSignal): Promise<TaskCancellation>
  /**
   * Queues a failed task again with a new run, and resets its attempts.
   *
   * @returns undefined if it has not failed.
   */
  retryTask(
    id: string,
    now: string,
    toEvent?: ToTaskEvent,
    signal?: AbortSignal,
  ): Promise<StoredTask | undefined>
  /** Finds a task. @returns undefined if it does not exist. */
  findTask(id: string, signal?: AbortSignal): Promise<StoredTask | undefined>
  /** Lists tasks, newest first. */
  listTasks(filter: TaskFilter, page: PageRequest, signal?: AbortSignal): Promise<Page<StoredTask>>
  /** Lists parked tasks whose run has ended, so that they can be settled. */
  listSettleableTasks(limit: number, signal?: AbortSignal): Promise<StoredTask[]>
  /** Returns the time at which the next delayed task becomes due or a lease expires; undefined if there is none. */
  nextTaskTime(signal?: AbortSignal): Promise<string | undefined>
}

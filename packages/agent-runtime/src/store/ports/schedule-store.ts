import type { CatchUp, Overlap, ReportTarget } from '@homeward/contract/agent-platform'
import type { NewAuditEntry } from './audit-store.ts'
import type { NewJournalEvent } from './journal.ts'
import type { NewTask, TaskSubject } from './task-store.ts'

/** Identifies a schedule: the schedule field of an agent or graph, or a separate schedule. */
export type ScheduleSubject = TaskSubject | { readonly kind: 'schedule'; readonly id: string }

/** A separate schedule of an agent or graph, which can have several. Times are ISO 8601 text in UTC. */
export interface StoredSchedule {
  readonly id: string
  /** The agent or graph to run. */
  readonly runs: TaskSubject
  readonly name?: string
  readonly cron: string
  /** Task; absent if the default task is used. */
  readonly input?: string
  /** Time zone; absent for the platform's. */
  readonly timezone?: string
  /** Handling of missed times. @default 'skip' */
  readonly catchUp?: CatchUp
  /** Handling of overlaps. @default 'queue' */
  readonly overlap?: Overlap
  readonly enabled: boolean
  /** Chats that receive the results. @default those of the agent */
  readonly reportTo?: readonly ReportTarget[]
  /** Hash of the request that created it, if that had an idempotency key. */
  readonly requestHash?: string
  readonly created_at: string
  readonly updated_at: string
}

/** Progress of a schedule. */
export interface ScheduleCursor {
  readonly subject: ScheduleSubject
  /**
   * Cron expression and time zone of the cursor; with another one, the schedule starts again. Empty while the
   * schedule is disabled.
   */
  readonly schedule: string
  /** All scheduled times up to and including this one are handled. ISO 8601 text in UTC. */
  readonly through: string
  /** Last scheduled time that created a task, set by the store. Absent if there was none. */
  readonly lastOccurrence?: string
}

/** A scheduled time that is due or was missed. */
export interface Occurrence {
  readonly subject: ScheduleSubject
  readonly schedule: string
  /** Scheduled time: ISO 8601 text in UTC. */
  readonly scheduledFor: string
  /** Task to create; absent for a missed time that is only recorded. */
  readonly task?: NewTask
  /**
   * With `skip`, no task is created while an earlier one of this schedule has not ended; `onSkip` is recorded
   * instead.
   */
  readonly overlap?: 'skip' | 'queue'
  readonly journal: readonly NewJournalEvent[]
  readonly onSkip: readonly NewJournalEvent[]
}

/**
 * Outcome of a scheduled run: `fired`; `skipped` because of an overlap; `noted` if missed; `done` if another process
 * had already handled it; `stale` if the schedule has changed.
 */
export type OccurrenceOutcome = 'fired' | 'skipped' | 'noted' | 'done' | 'stale'

/** Store of schedules and their progress. Implementations must pass `scheduleStoreConformance`. */
export interface ScheduleStore {
  /**
   * Stores a new schedule.
   *
   * @param most maximum number of schedules.
   * @returns undefined without a change if the id already exists; false if there are already `most`.
   */
  insertSchedule(
    schedule: StoredSchedule,
    most: number,
    audit?: NewAuditEntry,
    signal?: AbortSignal,
  ): Promise<boolean | undefined>
  /** Replaces the schedule with the same id. @returns false if it does not exist. */
  replaceSchedule(schedule: StoredSchedule, audit?: NewAuditEntry, signal?: AbortSignal): Promise<boolean>
  /** Deletes a schedule. @returns false if it does not exist. */
  deleteSchedule(id: string, audit?: NewAuditEntry, signal?: AbortSignal): Promise<boolean>
  /** Deletes the schedules of an agent or a graph. The store does so itself when it deletes an agent or graph. */
  deleteSchedulesOf(runs: TaskSubject, signal?: AbortSignal): Promise<void>
  /** Returns a schedule. @returns undefined if it does not exist */
  findSchedule(id: string, signal?: AbortSignal): Promise<StoredSchedule | undefined>
  /** Lists all schedules, sorted by `created_at`, then `id`. */
  listSchedules(signal?: AbortSignal): Promise<StoredSchedule[]>
  /** Lists the cursors of all subjects. */
  listScheduleCursors(signal?: AbortSignal): Promise<ScheduleCursor[]>
  /**
   * Stores a cursor for a subject that has none, or one of another schedule. `lastOccurrence` stays unchanged.
   *
   * @returns the stored cursor.
   */
  startSchedule(cursor: ScheduleCursor, signal?: AbortSignal): Promise<ScheduleCursor>
  /** Removes the cursor of a subject. */
  stopSchedule(subject: ScheduleSubject, signal?: AbortSignal): Promise<void>
  /**
   * Handles scheduled times in their order: all of them or none, each once.
   *
   * `(subject, scheduledFor)` is unique and always after the cursor, which advances. A time is left out if the cursor
   * belongs to another schedule in the meantime, or no longer exists. A task whose idempotency key already exists was
   * created before, and also counts as `done`.
   *
   * @returns the outcome of each time.
   * @throws {RuntimeError} `conflict` if the id of a task already exists.
   */
  recordOccurrences(fires: readonly Occurrence[], signal?: AbortSignal): Promise<readonly OccurrenceOutcome[]>
}

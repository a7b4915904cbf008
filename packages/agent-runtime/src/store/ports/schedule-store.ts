import type { CatchUp, Overlap, ReportTarget } from '@homeward/contract/agent-platform'
import type { NewAuditEntry } from './audit-store.ts'
import type { NewJournalEvent } from './journal.ts'
import type { NewTask, TaskSubject } from './task-store.ts'

/** Which schedule: the one that is a field of an agent or a graph, or one of its own. */
export type ScheduleSubject = TaskSubject | { readonly kind: 'schedule'; readonly id: string }

/** A schedule of its own: an agent or a graph may have several. Times are ISO 8601 text in UTC. */
export interface StoredSchedule {
  readonly id: string
  /** What it runs. */
  readonly runs: TaskSubject
  readonly name?: string
  readonly cron: string
  /** Absent if the default task is used. */
  readonly input?: string
  /** Absent for the time zone of the platform. */
  readonly timezone?: string
  /** @default 'skip' */
  readonly catchUp?: CatchUp
  /** @default 'queue' */
  readonly overlap?: Overlap
  readonly enabled: boolean
  /** Chats that get the results. @default those of the agent */
  readonly reportTo?: readonly ReportTarget[]
  /** Hash of the request that created it, if that had an idempotency key. */
  readonly requestHash?: string
  readonly created_at: string
  readonly updated_at: string
}

/** How far a schedule was carried out. */
export interface ScheduleCursor {
  readonly subject: ScheduleSubject
  /** Cron expression and time zone that it belongs to; another one begins anew. Empty while the schedule is off. */
  readonly schedule: string
  /** Fires up to this time, with it, were dealt with. ISO 8601 text in UTC. */
  readonly through: string
  /** The fire that made a task last; the store keeps it. Absent when there was none. */
  readonly lastOccurrence?: string
}

/** A time of a schedule that has come, or was missed. */
export interface Occurrence {
  readonly subject: ScheduleSubject
  readonly schedule: string
  /** Time that the schedule meant, ISO 8601 text in UTC. */
  readonly scheduledFor: string
  /** Absent when it is only noted: it was missed. */
  readonly task?: NewTask
  /** With `skip`: no task is made while an earlier one of this schedule has not ended; `onSkip` is noted. */
  readonly overlap?: 'skip' | 'queue'
  readonly journal: readonly NewJournalEvent[]
  readonly onSkip: readonly NewJournalEvent[]
}

/**
 * What became of a fire: `fired`, `skipped` for an overlap, `noted` for a missed one, `done` when somebody else had
 * carried it out, `stale` when the schedule has changed.
 */
export type OccurrenceOutcome = 'fired' | 'skipped' | 'noted' | 'done' | 'stale'

/** Where schedules are kept in step (A9). Implementations must pass `scheduleStoreConformance`. */
export interface ScheduleStore {
  /**
   * Keeps a new schedule.
   *
   * @param most how many there may be.
   * @returns undefined, and changes nothing, when the id is taken; false when there are `most` already.
   */
  insertSchedule(
    schedule: StoredSchedule,
    most: number,
    audit?: NewAuditEntry,
    signal?: AbortSignal,
  ): Promise<boolean | undefined>
  /** Puts a schedule in the place of the one with its id. @returns false when there is none. */
  replaceSchedule(schedule: StoredSchedule, audit?: NewAuditEntry, signal?: AbortSignal): Promise<boolean>
  /** @returns false when there is none. */
  deleteSchedule(id: string, audit?: NewAuditEntry, signal?: AbortSignal): Promise<boolean>
  /** Deletes the schedules of an agent or a graph. The store does so itself with those that it deletes. */
  deleteSchedulesOf(runs: TaskSubject, signal?: AbortSignal): Promise<void>
  /** Returns a schedule. @returns undefined if it does not exist */
  findSchedule(id: string, signal?: AbortSignal): Promise<StoredSchedule | undefined>
  /** All of them, `created_at` then `id` ascending. */
  listSchedules(signal?: AbortSignal): Promise<StoredSchedule[]>
  /** Cursors of all subjects. */
  listScheduleCursors(signal?: AbortSignal): Promise<ScheduleCursor[]>
  /**
   * Keeps a cursor for a subject that has none, or one of another schedule; `lastOccurrence` stays as it is.
   *
   * @returns the cursor that is there now.
   */
  startSchedule(cursor: ScheduleCursor, signal?: AbortSignal): Promise<ScheduleCursor>
  /** Forgets the cursor of a subject. */
  stopSchedule(subject: ScheduleSubject, signal?: AbortSignal): Promise<void>
  /**
   * Carries out fires in their order, all of them or none, each once: `(subject, scheduledFor)` is unique and never behind the cursor, which
   * moves along. One whose cursor belongs to another schedule by now, or is gone, is left out. A task whose idempotency
   * key is taken was made before: that is `done` too.
   *
   * @returns what became of each fire.
   * @throws {RuntimeError} `conflict` when the id of a task is taken.
   */
  recordOccurrences(fires: readonly Occurrence[], signal?: AbortSignal): Promise<readonly OccurrenceOutcome[]>
}

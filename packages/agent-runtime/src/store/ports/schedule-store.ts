import type { NewJournalEvent } from './journal.ts'
import type { NewTask, TaskSubject } from './task-store.ts'

/** How far a schedule was carried out. */
export interface ScheduleCursor {
  readonly subject: TaskSubject
  /** Cron expression and time zone that it belongs to; another one begins anew. Empty while the schedule is off. */
  readonly schedule: string
  /** Fires up to this time, with it, were dealt with. ISO 8601 text in UTC. */
  readonly through: string
  /** The fire that made a task last; the store keeps it. Absent when there was none. */
  readonly lastFire?: string
}

/** A time of a schedule that has come, or was missed. */
export interface ScheduleFire {
  readonly subject: TaskSubject
  readonly schedule: string
  /** Time that the schedule meant, ISO 8601 text in UTC. */
  readonly scheduledFor: string
  /** Absent when it is only noted: it was missed. */
  readonly task?: NewTask
  /** With `skip`: no task is made while an earlier scheduled one of the subject has not ended; `onSkip` is noted. */
  readonly overlap?: 'skip' | 'queue'
  readonly journal: readonly NewJournalEvent[]
  readonly onSkip: readonly NewJournalEvent[]
}

/**
 * What became of a fire: `fired`, `skipped` for an overlap, `noted` for a missed one, `done` when somebody else had
 * carried it out, `stale` when the schedule has changed.
 */
export type FireOutcome = 'fired' | 'skipped' | 'noted' | 'done' | 'stale'

/** Where schedules are kept in step (A9). Implementations must pass `scheduleStoreConformance`. */
export interface ScheduleStore {
  /** Cursors of all subjects. */
  listScheduleCursors(signal?: AbortSignal): Promise<ScheduleCursor[]>
  /**
   * Keeps a cursor for a subject that has none, or one of another schedule; `lastFire` stays as it is.
   *
   * @returns the cursor that is there now.
   */
  startSchedule(cursor: ScheduleCursor, signal?: AbortSignal): Promise<ScheduleCursor>
  /** Forgets the cursor of a subject. */
  stopSchedule(subject: TaskSubject, signal?: AbortSignal): Promise<void>
  /**
   * Carries out fires in their order, all of them or none, each once: `(subject, scheduledFor)` is unique and never behind the cursor, which
   * moves along. One whose cursor belongs to another schedule by now, or is gone, is left out. A task whose idempotency
   * key is taken was made before: that is `done` too.
   *
   * @returns what became of each fire.
   * @throws {RuntimeError} `conflict` when the id of a task is taken.
   */
  fireSchedules(fires: readonly ScheduleFire[], signal?: AbortSignal): Promise<readonly FireOutcome[]>
}

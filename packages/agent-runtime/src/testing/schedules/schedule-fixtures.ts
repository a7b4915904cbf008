import type { ScheduleCursor, Occurrence, ScheduleSubject } from '../../store/ports/schedule-store.ts'
import type { TaskSubject } from '../../store/ports/task-store.ts'
import { at, oddText } from '../conformance-fixtures.ts'

/** An agent with a schedule. */
export const agent: TaskSubject = { kind: 'agent', id: 's1' }
/** A graph with one. */
export const graph: TaskSubject = { kind: 'graph', id: 's1' }
/** The schedule of both. */
export const schedule = '0 9 * * * [Europe/Berlin]'

/** A cursor, through a second. */
export function cursorOf(
  subject: ScheduleSubject,
  second: number,
  changes: Partial<ScheduleCursor> = {},
): ScheduleCursor {
  return { subject, schedule, through: at(second), ...changes }
}

/** A fire with a task, whose events tell what became of it. */
export function fireOf(
  subject: ScheduleSubject,
  second: number,
  changes: Partial<Occurrence> = {},
): Occurrence {
  const scheduledFor = at(second)
  const id = `${subject.kind}-${subject.id}-${second}`
  const data = { ...subject, second, odd: oddText }
  return {
    subject,
    schedule,
    scheduledFor,
    task: {
      id,
      subject: subject.kind === 'schedule' ? agent : subject,
      input: oddText,
      priority: 0,
      maxAttempts: 3,
      idempotencyKey: `key-${id}`,
      scheduleId: `${subject.kind}:${subject.id}`,
      scheduled: { schedule: '0 9 * * *', for: scheduledFor, overlap: 'queue' },
      createdAt: scheduledFor,
      runAt: scheduledFor,
    },
    overlap: 'queue',
    journal: [{ type: 'schedule.fired', timestamp: scheduledFor, data }],
    onSkip: [{ type: 'schedule.missed', timestamp: scheduledFor, data: { ...data, reason: 'overlap' } }],
    ...changes,
  }
}

/** A time that is only noted. */
export function missedOf(subject: TaskSubject, second: number): Occurrence {
  const { task: _, overlap: __, ...rest } = fireOf(subject, second)
  const missed = { type: 'schedule.missed', timestamp: at(second), data: { second } } as const
  return { ...rest, journal: [missed], onSkip: [] }
}

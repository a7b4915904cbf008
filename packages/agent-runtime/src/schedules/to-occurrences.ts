import type { JsonObject } from '@homeward/contract/agent-platform'
import type { NewJournalEvent } from '../store/ports/journal.ts'
import type { Occurrence } from '../store/ports/schedule-store.ts'
import type { NewTask, TaskSubject } from '../store/ports/task-store.ts'
import { toCreatedEvent } from '../tasks/task-events.ts'
import type { DueTimes, MissedSpan } from './due-times.ts'
import type { ScheduleDefinition } from './schedule-definition.ts'
import { idOfSchedule, keyOfSchedule, keyOfSubject } from './schedule-definition.ts'

/** Why a time of a schedule made no task. */
type MissedReason = 'not_running' | 'overlap'

/** What {@link toOccurrences} needs besides. */
interface OccurrenceContext {
  readonly now: number
  /** What is older than this was missed. */
  readonly lateMs: number
  readonly createId: () => string
}

/** The same, with the time of writing as ISO 8601 text in UTC. */
interface WriteContext extends OccurrenceContext {
  readonly at: string
}

/** What is to be written for the times of a schedule that are due, in their order. */
export function toOccurrences(
  definition: ScheduleDefinition,
  { older, missed, fires }: DueTimes,
  given: OccurrenceContext,
): Occurrence[] {
  const context: WriteContext = { ...given, at: toText(given.now) }
  const { subject } = definition
  const schedule = keyOfSchedule(definition)
  const note = (scheduledFor: string, particulars?: JsonObject): Occurrence => {
    const journal = [toEvent(definition, 'schedule.missed', scheduledFor, context, particulars)]
    return { subject, schedule, scheduledFor, journal, onSkip: [] }
  }
  return [
    ...(older ? [note(toText(older.last), toParticulars(older))] : []),
    ...missed.map((time) => note(toText(time), { reason: 'not_running' satisfies MissedReason })),
    ...fires.map((time) => toFire(definition, toText(time), context)),
  ]
}

function toFire(definition: ScheduleDefinition, scheduledFor: string, context: WriteContext): Occurrence {
  const { subject, overlap, catchUp } = definition
  const wasMissed = Date.parse(scheduledFor) <= context.now - context.lateMs
  // Every one that was missed means every one.
  const waits = wasMissed && catchUp === 'all' ? 'queue' : overlap
  const task = toTask(definition, scheduledFor, waits, context)
  const reason = 'overlap' satisfies MissedReason
  return {
    subject,
    schedule: keyOfSchedule(definition),
    scheduledFor,
    task,
    overlap: waits,
    journal: [
      toEvent(definition, 'schedule.fired', scheduledFor, context, { task_id: task.id }),
      toCreatedEvent(task),
    ],
    onSkip:
      waits === 'skip' ? [toEvent(definition, 'schedule.missed', scheduledFor, context, { reason })] : [],
  }
}

function toTask(
  { subject, runs, schedule, input, reportTo }: ScheduleDefinition,
  scheduledFor: string,
  overlap: 'skip' | 'queue',
  { at, createId }: WriteContext,
): NewTask {
  return {
    id: createId(),
    subject: runs,
    input,
    priority: 0,
    maxAttempts: 3,
    ...(reportTo && { reportTo }),
    // Whatever the clock does, a time makes one task.
    idempotencyKey: `schedule:${keyOfSubject(subject)}:${scheduledFor}`,
    scheduleId: idOfSchedule(subject),
    scheduled: { schedule, for: scheduledFor, overlap },
    createdAt: at,
    runAt: at,
  }
}

function toEvent(
  { subject, runs, schedule, timezone }: ScheduleDefinition,
  type: 'schedule.fired' | 'schedule.missed',
  scheduledFor: string,
  { at }: WriteContext,
  particulars: JsonObject = {},
): NewJournalEvent {
  const data = {
    ...toSubjectData(runs),
    schedule_id: idOfSchedule(subject),
    schedule,
    timezone,
    scheduled_for: scheduledFor,
    ...particulars,
  }
  return { type, timestamp: at, data }
}

function toSubjectData({ kind, id }: TaskSubject): JsonObject {
  return kind === 'agent' ? { agent_id: id } : { graph_id: id }
}

/** `scheduled_for` is the last of them. */
function toParticulars({ first, count, isMore }: MissedSpan): JsonObject {
  const reason = 'not_running' satisfies MissedReason
  return { reason, first: toText(first), count, ...(isMore && { more: true }) }
}

/** ISO 8601 text in UTC. */
function toText(time: number): string {
  return new Date(time).toISOString()
}

import type { Agent, CatchUp, Graph, Overlap } from '@homeward/contract/agent-platform'
import type { NewTask, TaskSubject } from '../store/ports/task-store.ts'
import { toReportTo } from '../tasks/to-report-to.ts'

/** The schedule of an agent or a graph, as it is set. */
export interface ScheduleDefinition {
  readonly subject: TaskSubject
  readonly schedule: string
  readonly timezone: string
  readonly enabled: boolean
  /** What its tasks get. */
  readonly input: string
  readonly catchUp: CatchUp
  readonly overlap: Overlap
  /** Chats that get the results of its tasks. */
  readonly reportTo?: NewTask['reportTo']
  /** ISO 8601 text in UTC. */
  readonly savedAt: string
}

/** Stands for `schedule_input` when there is none. */
const defaultInput = 'This is a scheduled run: do what your instructions ask for at this time.'

/** @returns undefined when it has no schedule. */
export function toScheduleDefinition(
  kind: TaskSubject['kind'],
  set: Agent | Graph,
  platformTimezone: string,
): ScheduleDefinition | undefined {
  if (set.schedule === undefined || set.schedule.trim() === '') return undefined
  return {
    subject: { kind, id: set.id },
    schedule: set.schedule,
    timezone: set.timezone ?? platformTimezone,
    enabled: set.schedule_enabled,
    input: set.schedule_input ?? defaultInput,
    catchUp: set.catch_up ?? 'skip',
    overlap: set.overlap ?? 'queue',
    ...('report_to' in set && toReportTo(set.report_to)),
    savedAt: set.updated_at,
  }
}

/** Tells schedules apart: with another one, what was missed does not count. */
export function keyOfSchedule({
  schedule,
  timezone,
}: Pick<ScheduleDefinition, 'schedule' | 'timezone'>): string {
  return `${schedule.trim()} [${timezone}]`
}

/** Tells subjects apart. */
export function keyOfSubject({ kind, id }: TaskSubject): string {
  return `${kind} ${id}`
}

import type { Agent, CatchUp, Graph, Overlap } from '@homeward/contract/agent-platform'
import type { ScheduleSubject, StoredSchedule } from '../store/ports/schedule-store.ts'
import type { NewTask, TaskSubject } from '../store/ports/task-store.ts'
import { toReportTo } from '../tasks/to-report-to.ts'

/** A schedule, as it is set. */
export interface ScheduleDefinition {
  readonly subject: ScheduleSubject
  /** The agent or graph that its tasks are for. */
  readonly runs: TaskSubject
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
    runs: { kind, id: set.id },
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

/**
 * The same of a schedule of its own.
 *
 * @param set the agent or graph that it runs.
 */
export function toOwnDefinition(
  own: StoredSchedule,
  set: Agent | Graph,
  platformTimezone: string,
): ScheduleDefinition {
  const reportTo = own.reportTo ?? ('report_to' in set ? set.report_to : undefined)
  return {
    subject: { kind: 'schedule', id: own.id },
    runs: own.runs,
    schedule: own.cron,
    timezone: own.timezone ?? platformTimezone,
    enabled: own.enabled,
    input: own.input ?? defaultInput,
    catchUp: own.catchUp ?? 'skip',
    overlap: own.overlap ?? 'queue',
    ...toReportTo(reportTo),
    savedAt: own.updated_at,
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
export function keyOfSubject({ kind, id }: ScheduleSubject): string {
  return `${kind} ${id}`
}

/** The id of a schedule on the interface. Ids of schedules of their own hold no colon. */
export function idOfSchedule({ kind, id }: ScheduleSubject): string {
  return kind === 'schedule' ? id : `${kind}:${id}`
}

/** The schedule that an id names. */
export function subjectOfId(id: string): ScheduleSubject {
  const [, kind, name = ''] = /^(agent|graph):(.*)$/s.exec(id) ?? []
  if (kind === 'agent' || kind === 'graph') return { kind, id: name }
  return { kind: 'schedule', id }
}

import type { ScheduleState } from '@homeward/contract/agent-platform'
import { nextOccurrence } from '@homeward/kit/cron'
import { idOfSchedule } from './schedule-definition.ts'
import type { SetSchedule } from './schedule-definitions.ts'
import type { ReadSchedule, ScheduleReader } from './schedule-reader.ts'

/** A schedule as the interface shows it (A9). */
export function toScheduleState(
  { definition, set, own }: SetSchedule,
  { reader, now, lastFire }: { reader: ScheduleReader; now: number; lastFire: string | undefined },
): ScheduleState {
  const { subject, runs, schedule, timezone, enabled, catchUp, overlap } = definition
  const means = reader.read(definition)
  const [next] = enabled && !('problem' in means) ? listTimes(means, now, 1) : []
  const input = own === undefined ? set.schedule_input : own.input
  return {
    id: idOfSchedule(subject),
    ...(runs.kind === 'agent' ? { agent_id: runs.id } : { graph_id: runs.id }),
    ...(own?.name !== undefined && { name: own.name }),
    cron: schedule,
    schedule,
    ...(input !== undefined && { input }),
    timezone,
    catch_up: catchUp,
    overlap,
    enabled,
    ...(own?.reportTo && { report_to: [...own.reportTo] }),
    ...(own && { created_at: own.created_at, updated_at: own.updated_at }),
    ...(next !== undefined && { next_fire: next }),
    ...(lastFire !== undefined && { last_fire: lastFire }),
    ...('problem' in means && { error: `It ${means.problem}.` }),
  }
}

/** The next times after an instant. */
export function listTimes({ times, clock }: ReadSchedule, from: number, count: number): string[] {
  const found: string[] = []
  let time = nextOccurrence(times, clock, from)
  while (time !== undefined && found.length < count) {
    found.push(new Date(time).toISOString())
    time = nextOccurrence(times, clock, time)
  }
  return found
}

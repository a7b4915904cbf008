import { createCronReader, createZoneClocks, type CronTimes, type ZoneClock } from '@homeward/kit/cron'
import type { ScheduleDefinition } from './schedule-definition.ts'
import { keyOfSchedule, keyOfSubject } from './schedule-definition.ts'

/** A schedule, ready to be asked for its times. */
export interface ReadSchedule {
  readonly times: CronTimes
  readonly clock: ZoneClock
}

/** Reads schedules. */
export interface ScheduleReader {
  /** @returns what it means, or what is wrong with it. */
  read(set: Pick<ScheduleDefinition, 'schedule' | 'timezone'>): ReadSchedule | { readonly problem: string }
}

/** Loads what reads schedules. */
export async function createScheduleReader(): Promise<ScheduleReader> {
  const cron = await createCronReader()
  const clockOf = createZoneClocks()
  return {
    read({ schedule, timezone }) {
      const clock = clockOf(timezone)
      if (clock === undefined) return { problem: 'has no valid IANA time zone' }
      const times = cron.read(schedule)
      return 'problem' in times ? times : { times, clock }
    },
  }
}

/** A reader that gives undefined for what cannot be read, and reports it: once, until it is set otherwise. */
export function reportProblems(
  { read }: ScheduleReader,
  report: (definition: ScheduleDefinition, problem: string) => void,
): (definition: ScheduleDefinition) => ReadSchedule | undefined {
  const reported = new Map<string, string>()
  return (definition) => {
    const key = keyOfSubject(definition.subject)
    const found = read(definition)
    if (!('problem' in found)) {
      reported.delete(key)
      return found
    }
    const schedule = keyOfSchedule(definition)
    if (reported.get(key) !== schedule) report(definition, found.problem)
    reported.set(key, schedule)
    return undefined
  }
}

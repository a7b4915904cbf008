import { isTimezone } from '@homeward/kit'
import { toTimestamp } from '../context/time.ts'

/** When a schedule comes next: null for never, or what is wrong with it. */
type NextRun = { readonly at: string | null } | { readonly problem: string }

interface Schedule {
  readonly schedule: string | null
  readonly timezone: string | null
}

/** Gives the next time of schedules. The reader of cron expressions is loaded with the first of them. */
export function createNextRun(): (schedule: Schedule, afterMs: number) => Promise<NextRun> {
  let loading: ReturnType<typeof loadReader> | undefined
  return async ({ schedule, timezone }, afterMs) => {
    if (timezone !== null && !isTimezone(timezone))
      return { problem: 'timezone: is not an IANA time zone name. Use a name such as "Europe/Berlin".' }
    if (schedule === null) return { at: null }
    loading ??= loadReader()
    const next = (await loading)(schedule, timezone ?? 'UTC', afterMs)
    if (typeof next !== 'string') return { at: next === undefined ? null : toTimestamp(next) }
    return {
      problem: `schedule: ${next}. Use a cron expression such as "0 9 * * 1-5" (9:00 from Monday to Friday).`,
    }
  }
}

async function loadReader() {
  const { createCronReader, createZoneClocks, nextOccurrence } = await import('@homeward/kit/cron')
  const reader = await createCronReader()
  const clockOf = createZoneClocks()
  /** The next time, undefined for never, or what is wrong. */
  return (schedule: string, timezone: string, afterMs: number): number | string | undefined => {
    const times = reader.read(schedule)
    if ('problem' in times) return times.problem
    const clock = clockOf(timezone)
    return clock === undefined ? 'has an unknown time zone' : nextOccurrence(times, clock, afterMs)
  }
}

import { isTimezone } from '@homeward/kit'
import { RuntimeError } from '../ports/runtime-error.ts'

/** What is checked of an agent or a graph. */
interface ScheduleFields {
  readonly schedule?: string | null | undefined
  readonly timezone?: string | null | undefined
}

/**
 * Checks a schedule before it is kept. The parser is loaded when there is something to parse.
 *
 * @param attempt what the error begins with, such as `Creating an agent`.
 * @param field what the expression is called there.
 * @throws {RuntimeError} `validation_error` that names the field and gives an example.
 */
export async function checkSchedule(
  { schedule, timezone }: ScheduleFields,
  attempt: string,
  field = 'schedule',
): Promise<void> {
  checkTimezone(timezone, attempt)
  if (schedule === undefined || schedule === null || schedule === '') return
  const { createCronReader } = await import('@homeward/kit/cron')
  const times = (await createCronReader()).read(schedule)
  if (!('problem' in times)) return
  throw new RuntimeError(
    'validation_error',
    `${attempt} failed: "${field}" ${times.problem}. Use a cron expression such as "0 9 * * 1-5" (9:00 from Monday to Friday).`,
  )
}

/** @throws {RuntimeError} `validation_error` for a time zone that this system does not know. */
function checkTimezone(timezone: string | null | undefined, attempt: string): void {
  if (timezone === undefined || timezone === null || timezone === '') return
  if (isTimezone(timezone)) return
  throw new RuntimeError(
    'validation_error',
    `${attempt} failed: "timezone" is not an IANA time zone name. Use a name such as "Europe/Berlin".`,
  )
}

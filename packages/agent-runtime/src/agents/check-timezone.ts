import { RuntimeError } from '../runtime-error.ts'

/** @throws {RuntimeError} `validation_error` for a time zone that this system does not know. */
export function checkTimezone(timezone: string | null | undefined): void {
  if (timezone === undefined || timezone === null) return
  try {
    Intl.DateTimeFormat('en', { timeZone: timezone })
  } catch {
    throw new RuntimeError(
      'validation_error',
      'Saving an agent: timezone: is no IANA time zone. Write one such as "Europe/Berlin".',
    )
  }
}

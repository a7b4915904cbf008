/** Whether this system supports an IANA time zone. */
export function isTimezone(timezone: string): boolean {
  try {
    Intl.DateTimeFormat('en', { timeZone: timezone })
    return true
  } catch {
    return false
  }
}

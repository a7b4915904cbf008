/**
 * Reads what a field of a day and a time holds, which is the time of this place; the server takes it with its offset.
 *
 * @returns ISO 8601 in UTC; undefined where it is no time that is still to come. A year of five digits, typed by mistake, is none.
 */
export function parseExpiry(local: string, nowMs = Date.now()): string | undefined {
  const time = Date.parse(local)
  return time > nowMs ? new Date(time).toISOString() : undefined
}

const dayMs = 86_400_000

/**
 * Reads a `Retry-After` header (RFC 9110, section 10.2.3): seconds, or an HTTP date in any of its three forms.
 *
 * What it takes beyond the RFC, and what it does not:
 * - Seconds may have decimals, because Discord and other services send `0.65`. They are rounded up to whole
 *   milliseconds: a request that comes too early is refused again.
 * - A date must begin with the name of its day, as all three forms do. `Date.parse` takes much more for a date, such as
 *   `-1` for a day in 2001, which would mean "at once".
 * - The form without a time zone (asctime) is read as UTC, as the RFC says. `Date.parse` would take local time.
 * - A date in the past is 0: the service allows the next request now.
 * - More than `maxMs` is cut to `maxMs`: it is a mistake or an attack, and timers overflow at 24.8 days.
 *
 * @param maxMs longest answer in milliseconds. @default one day
 * @returns milliseconds from `nowMs`; undefined if the header is absent or cannot be read.
 */
export function parseRetryAfter(
  header: string | null | undefined,
  nowMs: number,
  maxMs: number = dayMs,
): number | undefined {
  const text = header?.trim() ?? ''
  let waitMs: number
  if (/^\d+(\.\d+)?$/.test(text)) waitMs = Math.ceil(Number(text) * 1000)
  else if (/^[A-Z][a-z]{2,8},? /.test(text)) waitMs = Date.parse(text.replace(/( GMT)?$/, ' GMT')) - nowMs
  else return undefined
  return Number.isNaN(waitMs) ? undefined : Math.min(Math.max(waitMs, 0), maxMs)
}

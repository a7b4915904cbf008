const dayMs = 86_400_000

/**
 * Parses a `Retry-After` header (RFC 9110, section 10.2.3): seconds, or an HTTP date in any of its three forms.
 *
 * Differences from the RFC:
 * - Seconds may have decimals, because Discord and other services send `0.65`. They are rounded up to whole
 *   milliseconds, because a request that is too early is rejected again.
 * - A date must begin with the name of its day, as all three forms do. `Date.parse` accepts more, such as `-1` for a
 *   day in 2001, which would mean "at once".
 * - The form without a time zone (asctime) is read as UTC, as the RFC says. `Date.parse` would use local time.
 * - A date in the past returns 0.
 * - A value above `maxMs` becomes `maxMs`, because timers overflow at 24.8 days.
 *
 * @param maxMs longest result in milliseconds. @default one day
 * @returns milliseconds from `nowMs`; undefined if the header is missing or invalid.
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

const dayMs = 86_400_000

/**
 * Reads a `Retry-After` header: whole seconds, or an HTTP date.
 *
 * @returns milliseconds from `nowMs`, 0 to one day; undefined when there is nothing to read.
 */
export function parseRetryAfter(header: string | null, nowMs: number): number | undefined {
  const text = header?.trim()
  if (!text) return undefined
  const waitMs = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - nowMs
  // Longer than a day is a mistake or an attack: timers overflow at 24.8 days and would fire at once.
  return Number.isNaN(waitMs) ? undefined : Math.min(Math.max(waitMs, 0), dayMs)
}

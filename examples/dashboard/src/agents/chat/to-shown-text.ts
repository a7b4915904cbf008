import type { Json } from '@homeward/contract/agent-platform'

/** A value of a tool call as people read it: text as it is, all else as JSON. */
export function toShownText(value: Json | undefined): string {
  if (value === undefined) return ''
  return typeof value === 'string' ? value : JSON.stringify(value, undefined, 2)
}

/** Milliseconds as people read them. */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)} s`
  const minutes = Math.floor(ms / 60_000)
  return minutes < 60
    ? `${minutes} min ${Math.round((ms % 60_000) / 1000)} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

const whole = new Intl.NumberFormat()

/** A number with its separators. */
export const formatCount = (count: number) => whole.format(count)

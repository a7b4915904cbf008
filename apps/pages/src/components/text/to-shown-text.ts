import type { Json } from '@homeward/contract/agent-platform'

/** A value of a tool call as people read it: text as it is, all else as JSON. */
export function toShownText(value: Json | undefined): string {
  if (value === undefined) return ''
  return typeof value === 'string' ? value : JSON.stringify(value, undefined, 2)
}

const longestTitle = 120

/** A task as the title of a page: its first line, cut at a word. */
export function titleOf(task: string): string {
  const line = task.trim().split('\n', 1)[0]!
  if (line.length <= longestTitle) return line
  return `${line.slice(0, longestTitle).replace(/\s+\S*$/, '')} …`
}

/** Milliseconds as people read them. */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)} s`
  const seconds = Math.round(ms / 1000)
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  return minutes < 60
    ? `${minutes} min ${seconds % 60} s`.replace(/ 0 s$/, '')
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`.replace(/ 0 min$/, '')
}

const whole = new Intl.NumberFormat()

/** A number with its separators. */
export const formatCount = (count: number) => whole.format(count)

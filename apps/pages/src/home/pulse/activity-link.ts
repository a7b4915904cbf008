/** Points of the pulse, by their places: from the begin of the first to the end of the last one. */
export interface PulseSpan {
  readonly first: number
  readonly last: number
}

/** A span between two points, whichever was named first. */
export const spanOf = (one: number, other: number): PulseSpan => ({
  first: Math.min(one, other),
  last: Math.max(one, other),
})

/**
 * Address of the runs that began in a span. One that goes until now has no end, so that newer runs are listed, too.
 *
 * @param starts begins of all points in milliseconds since 1970
 */
export function activityLink(starts: readonly number[], { first, last }: PulseSpan): string {
  const [from, to] = [starts[first], starts[last + 1]]
  const search = new URLSearchParams()
  if (from !== undefined) search.set('from', new Date(from).toISOString())
  if (to !== undefined) search.set('to', new Date(to).toISOString())
  return `/runs?${search}`
}

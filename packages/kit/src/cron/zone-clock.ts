import { isTimezone } from './is-timezone.ts'

/** A clock change of a zone. An offset is the number of milliseconds to add to UTC. */
export interface ClockChange {
  /** First instant with the new offset, in milliseconds since the epoch. */
  readonly at: number
  readonly before: number
  readonly after: number
}

/** The clocks of a time zone. */
export interface ZoneClock {
  /** Offset from UTC at an instant, in milliseconds. */
  offsetAt(instant: number): number
  /** Returns the changes of the offset after `after`, up to and including `through`, in order. */
  changes(after: number, through: number): readonly ClockChange[]
}

/** What is known of a zone in a span of time. */
interface Span {
  /** Just before it. */
  readonly offset: number
  readonly changes: readonly ClockChange[]
}

const dayMs = 86_400_000
const spanMs = 128 * dayMs
/** Two changes are never closer to each other: the shortest pair is around Ramadan, a month. */
const stepMs = 4 * dayMs
/** Spans that are kept of each zone: three years and a half. */
const maxSpans = 10
const none: readonly ClockChange[] = []

/** Zones that are kept: there are some 600 names, and case does not count in them. */
const maxClocks = 1000

/**
 * Creates a function that returns the clock of a time zone, or undefined for a zone that this system does not
 * support.
 *
 * The offsets of a zone are stored as a few numbers, because a date formatter for each zone takes much more memory.
 *
 * @example
 * const clockOf = createZoneClocks()
 * const clock = clockOf('Europe/Berlin') // undefined for an unknown zone
 */
export function createZoneClocks(): (timezone: string) => ZoneClock | undefined {
  const clocks = new Map<string, ZoneClock>()
  return (timezone) => {
    const known = clocks.get(timezone)
    if (known !== undefined) return known
    if (!isTimezone(timezone)) return undefined
    const clock = createClock(timezone)
    if (clocks.size >= maxClocks) clocks.clear()
    clocks.set(timezone, clock)
    return clock
  }
}

function createClock(timezone: string): ZoneClock {
  const spans = new Map<number, Span>()

  function spanAt(place: number): Span {
    let span = spans.get(place)
    if (span !== undefined) return span
    span = readSpan(timezone, place * spanMs)
    const [oldest] = spans.keys()
    if (spans.size >= maxSpans && oldest !== undefined) spans.delete(oldest)
    spans.set(place, span)
    return span
  }

  return {
    offsetAt(instant) {
      const { offset, changes } = spanAt(Math.floor(instant / spanMs))
      if (changes.length === 0) return offset
      return changes.findLast(({ at }) => at <= instant)?.after ?? offset
    },
    changes(after, through) {
      let found = none
      const last = Math.floor(through / spanMs)
      for (let place = Math.floor(after / spanMs); place <= last; place += 1) {
        const { changes } = spanAt(place)
        if (changes.length === 0) continue
        found = [...found, ...changes.filter(({ at }) => at > after && at <= through)]
      }
      return found
    },
  }
}

function readSpan(timezone: string, start: number): Span {
  const offsetOf = offsetReader(timezone)
  // From just before, so that a change at the very start is seen.
  const offset = offsetOf(start - 1)
  const changes: ClockChange[] = []
  let known = offset
  let knownAt = start - 1
  while (knownAt < start + spanMs - 1) {
    const nextAt = Math.min(knownAt + stepMs, start + spanMs - 1)
    const next = offsetOf(nextAt)
    if (next !== known) {
      const at = findChange(offsetOf, knownAt, nextAt)
      changes.push({ at, before: known, after: next })
    }
    known = next
    knownAt = nextAt
  }
  return { offset, changes }
}

/** First instant with the offset of `end`. */
function findChange(offsetOf: (instant: number) => number, start: number, end: number): number {
  const wanted = offsetOf(end)
  let low = start
  let high = end
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (offsetOf(middle) === wanted) high = middle
    else low = middle
  }
  return high
}

function offsetReader(timeZone: string): (instant: number) => number {
  const format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' })
  return (instant) => {
    const [, sign, hours = 0, minutes = 0, seconds = 0] =
      /GMT(?:([+-])(\d+):(\d+)(?::(\d+))?)?$/.exec(format.format(instant)) ?? []
    const offset = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000
    return sign === '-' ? -offset : offset
  }
}

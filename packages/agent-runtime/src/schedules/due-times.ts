import type { CatchUp } from '@homeward/contract/agent-platform'
import { type CronTimes, nextOccurrence, type ZoneClock } from '@homeward/kit/cron'

/** What is due of a schedule, in the order of time. Milliseconds since the epoch. */
export interface DueTimes {
  /** Missed long ago: they are noted together. */
  readonly older?: MissedSpan
  /** Missed: each is noted. */
  readonly missed: readonly number[]
  /** To be carried out. With `all` there may be further ones behind them. */
  readonly fires: readonly number[]
}

/** Times that are noted together. */
export interface MissedSpan {
  readonly first: number
  readonly last: number
  readonly count: number
  /** Whether there are more than `count`. */
  readonly isMore: boolean
}

/** How to look at what is due. */
interface DueTimesQuery {
  readonly times: CronTimes
  readonly clock: ZoneClock
  /** Behind this. */
  readonly through: number
  /** Up to this, with it. */
  readonly now: number
  /** What is older than this was missed. 0 when nobody was there to be in time. */
  readonly lateMs: number
  readonly catchUp: CatchUp
}

/** Most missed times that are noted one by one. */
const maxNoted = 100
/** Most missed times that are counted. */
const maxCounted = 10_000
/** Most times that are carried out at once; the others come after them. */
const maxFires = 250

/**
 * What is due, by the rule for what was missed (A9). `all` carries out every one, however many there are. Else times
 * that were missed are noted, the newest hundred one by one, and `latest` carries out the last one unless a later one
 * is in time.
 */
export function findDueTimes(query: DueTimesQuery): DueTimes {
  const { through, now, lateMs, catchUp } = query
  if (catchUp === 'all') {
    return { missed: [], fires: forward(query, through, maxFires) }
  }
  const newest = findNewest(query)
  const split = newest.findIndex((time) => time > now - lateMs)
  const inTime = split < 0 ? [] : newest.slice(split)
  const late = split < 0 ? newest : newest.slice(0, split)
  const latest = catchUp === 'latest' && inTime.length === 0 ? late.slice(-1) : []
  const missed = late.slice(0, late.length - latest.length)
  const [end] = newest
  const older = end === undefined ? undefined : countOlder(query, end)
  return { ...(older && { older }), missed, fires: [...latest, ...inTime] }
}

/** The newest times that are due, at most as many as are noted. */
function findNewest(query: DueTimesQuery): number[] {
  const { through, now } = query
  for (let reach = 60_000; ; reach *= 2) {
    const from = Math.max(through, now - reach)
    const found = forward(query, from, Infinity)
    if (found.length >= maxNoted || from === through) return found.slice(-maxNoted)
  }
}

/** Times behind `from` that are due. */
function forward({ times, clock, now }: DueTimesQuery, from: number, limit: number): number[] {
  const found: number[] = []
  let time = nextOccurrence(times, clock, from)
  while (time !== undefined && time <= now && found.length < limit) {
    found.push(time)
    time = nextOccurrence(times, clock, time)
  }
  return found
}

function countOlder(query: DueTimesQuery, end: number): MissedSpan | undefined {
  const counted = forward({ ...query, now: end - 1 }, query.through, maxCounted + 1)
  const [first] = counted
  const isMore = counted.length > maxCounted
  // Nothing comes behind it before `end`: it only has to be told where the cursor goes.
  const last = isMore ? end - 1 : counted.at(-1)
  if (first === undefined || last === undefined) return undefined
  return { first, last, count: Math.min(counted.length, maxCounted), isMore }
}

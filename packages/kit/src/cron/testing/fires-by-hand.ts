import { CronExpressionParser } from 'cron-parser'

const minuteMs = 60_000
const hourMs = 3_600_000
const reachMs = 28 * hourMs

/** Shows what a clock of a zone shows at an instant, as if it were in UTC; both in milliseconds. */
function createWallClock(timeZone: string): (instant: number) => number {
  const numeric = '2-digit' as const
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: numeric,
    day: numeric,
    hour: numeric,
    minute: numeric,
  })
  return (instant) => {
    const [day = 0, month = 0, year = 0, hour = 0, minute = 0] = (
      format.format(instant).match(/\d+/g) ?? []
    ).map(Number)
    return Date.UTC(year, month - 1, day, hour, minute)
  }
}

/** Times of a cron expression as a clock shows them that is never changed. */
function nominalTimes(expression: string, from: number, through: number): number[] {
  const cron = CronExpressionParser.parse(expression, { tz: 'UTC', currentDate: new Date(from - 1) })
  const found: number[] = []
  for (;;) {
    const time = cron.next().getTime()
    if (time > through) return found
    found.push(time)
  }
}

/**
 * The times of a schedule as A9 says, found by looking at the clock minute by minute around each of its changes. Slow,
 * and made of nothing that the scheduler is made of.
 */
export function firesByHand(expression: string, timezone: string, from: number, through: number): number[] {
  const clock = createWallClock(timezone)
  const isEven = isEveryHour(expression)
  const nominal = nominalTimes(expression, from - 2 * reachMs, through + 2 * reachMs)
  const fires = new Set<number>()
  let place = 0
  // The clock is read in whole minutes.
  const first = Math.floor(from / minuteMs) * minuteMs - reachMs
  for (let start = first; start <= through + reachMs; start += reachMs) {
    const end = start + reachMs
    const offset = clock(start) - start
    // Shortly before, too: a clock that was put back shows times once more.
    const others = [start - reachMs, (start + end) / 2, end]
    const isSteady = others.every((at) => clock(at) - at === offset)
    if (isSteady) {
      while (place < nominal.length && (nominal[place] ?? 0) < start + offset) place += 1
      for (let at = place; (nominal[at] ?? Infinity) < end + offset; at += 1)
        fires.add((nominal[at] ?? 0) - offset)
    } else {
      for (const fire of walk(clock, nominal, start, end, isEven)) fires.add(fire)
    }
  }
  return [...fires].filter((fire) => fire > from && fire <= through).toSorted((a, b) => a - b)
}

function isEveryHour(expression: string): boolean {
  return CronExpressionParser.parse(expression).fields.hour.values.length === 24
}

/** Minute by minute from `start` up to `end`, without it. */
function* walk(
  clock: (instant: number) => number,
  nominal: readonly number[],
  start: number,
  end: number,
  isEven: boolean,
): Generator<number> {
  const near = nominal.filter((time) => time > start - 2 * reachMs && time < end + 2 * reachMs)
  const wanted = new Set(near)
  let shown = clock(start - minuteMs)
  // The furthest that the clock has come: it may have been put back shortly before.
  let furthest = shown
  for (let at = start - reachMs; at < start; at += minuteMs) furthest = Math.max(furthest, clock(at))
  for (let at = start; at < end; at += minuteMs) {
    const local = clock(at)
    const gap = local - shown - minuteMs
    const isPassed = (from: number) => near.some((time) => time > from && time <= local)
    if (isEven ? wanted.has(local) : isPassed(furthest)) yield at
    else if (isEven && gap > 0 && gap % hourMs !== 0 && isPassed(shown)) yield at
    furthest = Math.max(furthest, local)
    shown = local
  }
}

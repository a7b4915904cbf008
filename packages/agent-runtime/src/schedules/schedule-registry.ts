import type { ScheduleCursor, ScheduleStore, ScheduleSubject } from '../store/ports/schedule-store.ts'
import { nextOccurrence } from '@homeward/kit/cron'
import { yieldToEventLoop } from '../concurrency/yield-to-event-loop.ts'
import { type ScheduleDefinition, keyOfSchedule, keyOfSubject } from './schedule-definition.ts'
import type { ReadSchedule } from './schedule-reader.ts'

/** A schedule that is carried out. */
export interface RegisteredSchedule extends Due, ReadSchedule {
  readonly subject: ScheduleSubject
  /** See `keyOfSchedule`. */
  readonly schedule: string
  /** Times up to this one, with it, were dealt with. */
  through: number
  /** When this process took it over, in milliseconds. */
  readonly begunAt: number
  /** Whether this process has not caught up yet: what was due when it began was missed, however short before. */
  isResumed: boolean
  /** Whether it is to be looked at anew: it is not carried out until then. */
  isGone: boolean
}

/** What {@link createScheduleRegistry} is built from. */
interface ScheduleRegistryOptions {
  readonly store: Pick<ScheduleStore, 'startSchedule' | 'stopSchedule'>
  /** Gives undefined for what cannot be used. */
  readonly read: (definition: ScheduleDefinition) => ReadSchedule | undefined
  readonly now: () => number
}

/** The schedules that are carried out, by the time at which they are due. */
export interface ScheduleRegistry {
  /**
   * Takes in what is set now.
   *
   * @param cursors those that are there, read before the definitions: what another process has carried out until now goes
   * on behind its cursor, at once or ten seconds later, and cursors that nobody needs any more go.
   */
  update(definitions: readonly ScheduleDefinition[], cursors?: readonly ScheduleCursor[]): Promise<void>
  /** When the next one is due, or has waited long enough for another process; undefined when none is. */
  nextDue(): number | undefined
  /** Takes schedules out that are due. */
  takeDue(limit: number): RegisteredSchedule[]
  /** Puts a schedule back that was taken, by the time that is due next. */
  putBack(entry: RegisteredSchedule): void
}

/** How late a new schedule may be noticed without losing a time, in milliseconds. */
const noticeMs = 120_000
/** A cursor this far ahead was written by a clock that was wrong, in milliseconds. */
const aheadMs = 3_600_000
/** Cursors that are written at the same time. */
const writesAtOnce = 256

/** Expressions that are read without a turn of the event loop between them. */
const readsAtOnce = 50

/** Stands in a cursor for the schedule while none is carried out. No fire is of this one. */
const noSchedule = ''

interface Beginning {
  readonly definition: ScheduleDefinition
  readonly means: ReadSchedule
  /** The one that is there already. */
  readonly cursor: ScheduleCursor | undefined
}

/** Keeps the schedules that are carried out in step with what is set. */
export function createScheduleRegistry(options: ScheduleRegistryOptions): ScheduleRegistry {
  const { store, read, now } = options
  const entries = new Map<string, RegisteredSchedule>()
  const dues = createDueList<RegisteredSchedule>()
  const grace = createGrace(now)
  /** Subjects whose schedule is set and not carried out, and whose cursor tells when it last was. */
  const resting = new Map<string, { readonly subject: ScheduleSubject }>()

  function putBack(entry: RegisteredSchedule): void {
    if (entry.isGone) return
    entry.due = nextOccurrence(entry.times, entry.clock, entry.through) ?? Infinity
    if (entry.due > now()) entry.isResumed = false
    if (grace.isNeeded(entry)) grace.add(entry)
    else if (entry.due !== Infinity) dues.add(entry)
  }

  function remove(key: string): void {
    const entry = entries.get(key)
    entries.delete(key)
    resting.delete(key)
    if (entry === undefined) return
    dues.remove(entry)
    grace.remove(entry)
  }

  async function begin(beginning: Beginning, begunAt: number): Promise<void> {
    const { subject } = beginning.definition
    const key = keyOfSubject(subject)
    const cursor = await placeCursor(options, beginning, entries.get(key))
    remove(key)
    const entry: RegisteredSchedule = {
      ...beginning.means,
      subject,
      schedule: cursor.schedule,
      through: Date.parse(cursor.through),
      begunAt,
      isResumed: beginning.cursor !== undefined,
      isGone: false,
      due: Infinity,
    }
    entries.set(key, entry)
    putBack(entry)
  }

  async function stop(subject: ScheduleSubject): Promise<void> {
    await store.stopSchedule(subject)
    remove(keyOfSubject(subject))
  }

  /** When it fired last is still told of it, so its cursor stays, under no schedule: whoever is about to fire learns. */
  async function rest(subject: ScheduleSubject): Promise<void> {
    await store.startSchedule({ subject, schedule: noSchedule, through: new Date(now()).toISOString() })
    remove(keyOfSubject(subject))
    resting.set(keyOfSubject(subject), { subject })
  }

  return {
    async update(definitions, cursors = []) {
      const begunAt = now()
      const cursorOf = new Map(cursors.map((cursor) => [keyOfSubject(cursor.subject), cursor]))
      const known = [...resting.values(), ...entries.values(), ...cursors]
      const gone = new Map(known.map((row) => [keyOfSubject(row.subject), row]))
      const beginnings: Beginning[] = []
      const ending: ScheduleSubject[] = []
      for (const definition of definitions) {
        const key = keyOfSubject(definition.subject)
        const isKnown = gone.delete(key)
        if (isCurrent(definition, entries.get(key), begunAt)) continue
        const means = definition.enabled ? read(definition) : undefined
        if (means === undefined) {
          if (isKnown && !resting.has(key)) ending.push(definition.subject)
          continue
        }
        const cursor = cursorOf.get(key)
        const own = cursor?.schedule === keyOfSchedule(definition) ? cursor : undefined
        beginnings.push({ definition, means, cursor: own })
        if (beginnings.length % readsAtOnce === 0) await yieldToEventLoop()
      }
      await inGroups(ending, rest)
      await inGroups([...gone.values()], ({ subject }) => stop(subject))
      await inGroups(beginnings, (beginning) => begin(beginning, begunAt))
    },
    nextDue() {
      endGrace(dues, grace)
      const due = Math.min(dues.nextDue() ?? Infinity, grace.nextEnd() ?? Infinity)
      return due === Infinity ? undefined : due
    },
    takeDue(limit) {
      endGrace(dues, grace)
      return dues.take(now(), limit)
    },
    putBack,
  }
}

/** Schedules that have waited long enough for another process are due. */
function endGrace(dues: DueList<RegisteredSchedule>, grace: Grace): void {
  for (const entry of grace.takeEnded()) dues.add(entry)
}

/** Whether a schedule is carried out as it is set. */
function isCurrent(
  definition: ScheduleDefinition,
  entry: RegisteredSchedule | undefined,
  at: number,
): boolean {
  if (!definition.enabled || entry === undefined || entry.isGone) return false
  return entry.through <= at + aheadMs && entry.schedule === keyOfSchedule(definition)
}

/** The cursor that a schedule goes on behind: the one that is there, where the book was, or when it was saved. */
async function placeCursor(
  { store, now }: ScheduleRegistryOptions,
  { definition, cursor: known }: Beginning,
  before: RegisteredSchedule | undefined,
): Promise<ScheduleCursor> {
  const { subject, savedAt } = definition
  const schedule = keyOfSchedule(definition)
  const start = (through: number) =>
    store.startSchedule({ subject, schedule, through: new Date(through).toISOString() })
  const saved = Math.max(Date.parse(savedAt) || 0, now() - noticeMs)
  const from = before?.schedule === schedule ? before.through : saved
  const cursor = known ?? (await start(Math.min(from, now())))
  if (Date.parse(cursor.through) <= now() + aheadMs) return cursor
  await store.stopSchedule(subject)
  return start(now())
}

async function inGroups<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  for (let start = 0; start < items.length; start += writesAtOnce) {
    await Promise.all(items.slice(start, start + writesAtOnce).map(work))
  }
}

/** An item that waits for its time. */
interface Due {
  /** Milliseconds since the epoch. It stays the same while the item is in a list. */
  due: number
}

/** Items in the order of their due times. */
interface DueList<Item extends Due> {
  /** Puts an item after those that are due at the same time. */
  add(item: Item): void
  remove(item: Item): void
  /** The earliest due time; undefined if the list is empty. */
  nextDue(): number | undefined
  /** Takes out items that are due by a time, the earliest first. */
  take(by: number, limit: number): Item[]
}

/** An empty list. */
export function createDueList<Item extends Due>(): DueList<Item> {
  const items: Item[] = []

  /** The place of the first item that is due after a time. */
  function placeAfter(time: number): number {
    let start = 0
    let end = items.length
    while (start < end) {
      const middle = (start + end) >> 1
      if ((items[middle]?.due ?? Infinity) <= time) start = middle + 1
      else end = middle
    }
    return start
  }

  return {
    add: (item) => void items.splice(placeAfter(item.due), 0, item),
    remove(item) {
      const place = items.indexOf(item)
      if (place >= 0) items.splice(place, 1)
    },
    nextDue: () => items[0]?.due,
    take: (by, limit) => items.splice(0, Math.min(placeAfter(by), limit)),
  }
}

/** Schedules that wait until another process would have carried them out. */
interface Grace {
  /** Whether another process may be writing down what is due of it just now. */
  isNeeded(entry: RegisteredSchedule): boolean
  /** Lets one wait. */
  add(entry: RegisteredSchedule): void
  remove(entry: RegisteredSchedule): void
  /** Takes out those that have waited long enough. */
  takeEnded(): RegisteredSchedule[]
  /** When the first one has waited long enough; undefined when none waits. */
  nextEnd(): number | undefined
}

/**
 * How long another process may take to write down what is due, in milliseconds. So long before nothing counts as missed:
 * with thousands of schedules at one minute, who starts in that minute sees cursors that are about to be moved.
 */
const graceMs = 10_000

/** Nobody waits yet. */
function createGrace(now: () => number): Grace {
  /** In the order in which they began. */
  const waiting = new Set<RegisteredSchedule>()
  /** No longer, too, when the clock was put back or forward. */
  const isOpen = ({ begunAt }: RegisteredSchedule) => Math.abs(now() - begunAt) < graceMs

  return {
    isNeeded(entry) {
      const { isResumed, times, clock, through, begunAt } = entry
      if (!isResumed || !isOpen(entry)) return false
      const recent = nextOccurrence(times, clock, Math.max(through, begunAt - graceMs))
      return recent !== undefined && recent <= begunAt
    },
    add: (entry) => void waiting.add(entry),
    remove: (entry) => void waiting.delete(entry),
    takeEnded() {
      const ended = [...waiting].filter((entry) => !isOpen(entry))
      for (const entry of ended) waiting.delete(entry)
      return ended
    },
    nextEnd() {
      const [first] = waiting
      return first && first.begunAt + graceMs
    },
  }
}

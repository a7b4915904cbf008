import type { ScheduleFire } from '../store/ports/schedule-store.ts'
import type { TaskSubject } from '../store/ports/task-store.ts'
import { yieldToEventLoop } from '../concurrency/yield-to-event-loop.ts'
import type { BookedSchedule, ScheduleBook } from './schedule-book.ts'
import type { ScheduleDefinition } from './schedule-definition.ts'
import { keyOfSchedule } from './schedule-definition.ts'
import { toFires } from './to-fires.ts'

/** What {@link createPreparedFires} is built from. */
export interface PreparedFiresOptions {
  readonly book: Pick<ScheduleBook, 'listDue' | 'nextDue'>
  /** The schedule of a subject as it is set now. */
  readonly find: (subject: TaskSubject) => Promise<ScheduleDefinition | undefined>
  /** Takes out what must not be written. @default leaves fires as they are */
  readonly clean?: ((fires: readonly ScheduleFire[]) => Promise<readonly ScheduleFire[]>) | undefined
  readonly now: () => number
  readonly createId: () => string
  readonly toText: (time: number) => string
}

/** Fires that are made some seconds before many schedules are due, so that all of them are in time. */
export interface PreparedFires {
  /** Makes fires as long as nothing is due. */
  prepare(): Promise<void>
  /** When something is due, or is to be prepared; undefined when nothing is. */
  nextTime(): number | undefined
  /** The fire of a schedule, once; undefined when there is none for the time at which it is due. */
  take(entry: BookedSchedule): ScheduleFire | undefined
  /** Something else may be set now. */
  forget(): void
}

/** How long before their time fires are made, in milliseconds. */
const aheadMs = 3000
/** So many are made in time when their time has come: what is set is looked up then, and none is made ahead. */
const fewDue = 250
/** Most fires that are made ahead: they take memory. */
const maxPrepared = 20_000
/** Fires that are made without a turn of the event loop in between. */
const madeAtOnce = 50

interface Prepared {
  readonly due: number
  readonly fire: ScheduleFire
}

/** Nothing is prepared yet. */
export function createPreparedFires(options: PreparedFiresOptions): PreparedFires {
  const { book, find, now, createId, toText, clean = async (fires) => fires } = options
  const prepared = new Map<BookedSchedule, Prepared>()
  /** Changes when something else may be set: what was looked up before counts no more. */
  let version = {}
  let lookedUpTo = -Infinity

  /** The fire as it would be made at its very time. */
  async function make(entry: BookedSchedule): Promise<ScheduleFire | undefined> {
    const { due, subject, schedule } = entry
    const definition = await find(subject)
    if (definition?.enabled !== true || keyOfSchedule(definition) !== schedule) return undefined
    const context = { now: due, lateMs: Infinity, createId, toText }
    return toFires(definition, { missed: [], fires: [due] }, context)[0]
  }

  async function makeAll(entries: readonly BookedSchedule[]): Promise<void> {
    const known = version
    const dues = entries.map(({ due }) => due)
    const made = await Promise.all(entries.map(make))
    const fires = await clean(made.filter((fire) => fire !== undefined))
    if (known !== version) return
    let place = 0
    for (const [index, entry] of entries.entries()) {
      const fire = made[index] === undefined ? undefined : fires[place++]
      if (fire !== undefined) prepared.set(entry, { due: dues[index] ?? 0, fire })
    }
  }

  return {
    async prepare() {
      for (const entry of prepared.keys()) if (entry.isGone) prepared.delete(entry)
      lookedUpTo = now() + aheadMs
      const soon = book.listDue(lookedUpTo)
      if (soon.length <= fewDue) return
      const wanted = soon
        .slice(0, maxPrepared)
        .filter((entry) => !entry.isResumed && prepared.get(entry)?.due !== entry.due)
      for (let start = 0; start < wanted.length; start += madeAtOnce) {
        if ((book.nextDue() ?? Infinity) <= now()) return
        await makeAll(wanted.slice(start, start + madeAtOnce))
        await yieldToEventLoop()
      }
    },
    nextTime() {
      const due = book.nextDue()
      if (due === undefined || due <= lookedUpTo || due <= now() + aheadMs) return due
      return due - aheadMs
    },
    take(entry) {
      const found = prepared.get(entry)
      prepared.delete(entry)
      return found?.due === entry.due ? found.fire : undefined
    },
    forget() {
      version = {}
      prepared.clear()
      lookedUpTo = -Infinity
    },
  }
}

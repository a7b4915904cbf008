import type { Occurrence, ScheduleStore, ScheduleSubject } from '../store/ports/schedule-store.ts'
import type { NewTask } from '../store/ports/task-store.ts'
import type { DueTimes } from './due-times.ts'
import { findDueTimes } from './due-times.ts'
import { yieldToEventLoop } from '../concurrency/yield-to-event-loop.ts'
import type { RegisteredSchedule, ScheduleRegistry } from './schedule-registry.ts'
import type { ScheduleDefinition } from './schedule-definition.ts'
import { keyOfSchedule } from './schedule-definition.ts'
import { toOccurrences } from './to-occurrences.ts'

/** What {@link createFireDue} is built from. */
interface FireDueOptions {
  readonly store: Pick<ScheduleStore, 'recordOccurrences'>
  readonly book: ScheduleRegistry
  /** A schedule as it is set now. */
  readonly find: (subject: ScheduleSubject) => Promise<ScheduleDefinition | undefined>
  /** A task is in the queue. */
  readonly onFired?: ((task: NewTask) => void) | undefined
  readonly now: () => number
  readonly createId: () => string
}

/** From then on a time counts as missed, in milliseconds: seconds of delay are none. */
const lateMs = 60_000
/** The same for one schedule: what was due before this process was there was missed, however short before. */
const latenessOf = ({ isResumed, begunAt }: RegisteredSchedule, at: number) =>
  isResumed ? Math.min(Math.max(0, at - begunAt), lateMs) : lateMs
/** Two times of a schedule are never closer, in milliseconds. */
const closestMs = 1000
/** Schedules that are carried out together. */
const schedulesAtOnce = 250
/** Fires of one transaction. */
const firesAtOnce = 500
/** Schedules whose next time is looked for without a turn of the event loop in between. */
const searchesAtOnce = 200

interface DueSchedule {
  readonly entry: RegisteredSchedule
  readonly fires: readonly Occurrence[]
  /** Time of the last one, in milliseconds. */
  readonly through: number
}

/**
 * Makes what carries out the schedules that are due. What is due comes first; only then the next times are looked for.
 *
 * @returns a function that gives whether a schedule is not what it was: then it is time to look.
 */
export function createFireDue(options: FireDueOptions): () => Promise<boolean> {
  const { store, book, now, createId } = options

  function toDueTimes(entry: RegisteredSchedule, definition: ScheduleDefinition, at: number): DueTimes {
    const { times, clock, through, isResumed } = entry
    if (!isResumed && at - entry.due < closestMs) return { missed: [], fires: [entry.due] }
    const { catchUp } = definition
    return findDueTimes({ times, clock, through, now: at, lateMs: latenessOf(entry, at), catchUp })
  }

  /** What is set is asked for again: an edit acts at once, whoever made it. */
  async function toDue(entry: RegisteredSchedule): Promise<DueSchedule | undefined> {
    const definition = await options.find(entry.subject)
    if (definition?.enabled !== true || keyOfSchedule(definition) !== entry.schedule) return undefined
    const at = now()
    const context = { now: at, lateMs: latenessOf(entry, at), createId }
    const times = toDueTimes(entry, definition, at)
    const through = times.fires.at(-1) ?? times.missed.at(-1) ?? times.older?.last ?? entry.through
    return { entry, fires: toOccurrences(definition, times, context), through }
  }

  async function write(due: readonly DueSchedule[]): Promise<void> {
    const fires = due.flatMap((schedule) => schedule.fires)
    const stale = new Set<Occurrence>()
    for (let start = 0; start < fires.length; start += firesAtOnce) {
      const group = fires.slice(start, start + firesAtOnce)
      const outcomes = await store.recordOccurrences(group)
      for (const [index, fire] of group.entries()) {
        if (outcomes[index] === 'stale') stale.add(fire)
        if (outcomes[index] === 'fired' && fire.task) options.onFired?.(fire.task)
      }
    }
    for (const { entry, fires: own, through } of due) {
      const last = own.at(-1)
      if (last !== undefined && stale.has(last)) entry.isGone = true
      else entry.through = through
    }
  }

  async function fire(taken: readonly RegisteredSchedule[]): Promise<void> {
    const due = await Promise.all(taken.map(toDue))
    for (const [index, entry] of taken.entries()) if (due[index] === undefined) entry.isGone = true
    await write(due.filter((schedule) => schedule !== undefined))
  }

  return async () => {
    const fired: RegisteredSchedule[] = []
    let isChanged = false
    try {
      for (;;) {
        const taken = book.takeDue(schedulesAtOnce)
        fired.push(...taken)
        if (taken.length > 0) await fire(taken)
        else if (fired.length === 0) return isChanged
        else for (const entry of fired.splice(-searchesAtOnce)) book.putBack(entry)
        isChanged ||= taken.some(({ isGone }) => isGone)
        await yieldToEventLoop()
      }
    } finally {
      for (const entry of fired) book.putBack(entry)
    }
  }
}

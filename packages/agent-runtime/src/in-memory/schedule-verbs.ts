import type { FireOutcome, ScheduleCursor, ScheduleFire } from '../store/ports/schedule-store.ts'
import type { TaskSubject } from '../store/ports/task-store.ts'
import { appendEvents } from './journal-verbs.ts'
import type { Tables } from './tables.ts'
import { assertNewTask, hasOpenScheduledTask, insertTask } from './task-verbs.ts'

const keyOf = ({ kind, id }: TaskSubject) => `${kind} ${id}`

/** {@link ScheduleStore.listScheduleCursors}, in memory. */
export function listScheduleCursors(tables: Tables): ScheduleCursor[] {
  const keys = [...tables.scheduleCursors.keys()].toSorted()
  return keys.flatMap((key) => {
    const cursor = tables.scheduleCursors.get(key)
    return cursor === undefined ? [] : [copyOf(cursor)]
  })
}

/** {@link ScheduleStore.startSchedule}, in memory. */
export function startSchedule(
  tables: Tables,
  { subject, schedule, through }: ScheduleCursor,
): ScheduleCursor {
  const key = keyOf(subject)
  const known = tables.scheduleCursors.get(key)
  if (known?.schedule === schedule) return copyOf(known)
  const { lastFire } = known ?? {}
  const cursor = copyOf({ subject, schedule, through, ...(lastFire !== undefined && { lastFire }) })
  tables.scheduleCursors.set(key, cursor)
  return copyOf(cursor)
}

/** {@link ScheduleStore.stopSchedule}, in memory. */
export function stopSchedule(tables: Tables, subject: TaskSubject): void {
  tables.scheduleCursors.delete(keyOf(subject))
}

/** {@link ScheduleStore.fireSchedules}, in memory. */
export function fireSchedules(tables: Tables, fires: readonly ScheduleFire[]): readonly FireOutcome[] {
  // Before anything is changed: all of them or none.
  for (const { task } of fires) if (task !== undefined) assertNewTask(tables, task)
  return fires.map((fire) => {
    const key = keyOf(fire.subject)
    const cursor = tables.scheduleCursors.get(key)
    if (cursor?.schedule !== fire.schedule) return 'stale'
    if (fire.scheduledFor <= cursor.through) return 'done'
    const outcome = carryOut(tables, fire)
    const fired = outcome === 'fired' && { lastFire: fire.scheduledFor }
    tables.scheduleCursors.set(key, { ...cursor, through: fire.scheduledFor, ...fired })
    return outcome
  })
}

function carryOut(tables: Tables, fire: ScheduleFire): FireOutcome {
  const { task, overlap, subject } = fire
  if (task === undefined) {
    appendEvents(tables, fire.journal)
    return 'noted'
  }
  if (overlap === 'skip' && hasOpenScheduledTask(tables, subject)) {
    appendEvents(tables, fire.onSkip)
    return 'skipped'
  }
  return insertTask(tables, task, fire.journal).created ? 'fired' : 'done'
}

/** Nobody outside can change what is kept. */
const copyOf = (cursor: ScheduleCursor): ScheduleCursor => ({ ...cursor, subject: { ...cursor.subject } })

import type { ScheduleCursor, ScheduleStore } from '../../store/ports/schedule-store.ts'
import { createScheduleRegistry } from '../schedule-registry.ts'
import type { ScheduleDefinition } from '../schedule-definition.ts'
import { createScheduleReader } from '../schedule-reader.ts'

const reader = await createScheduleReader()

/** A minute of the day on which tests run. */
export const at = (time: string) => `2026-06-01T${time}Z`
/** The same in milliseconds. */
export const ms = (time: string) => Date.parse(at(time))

/** The schedule of an agent, each minute in UTC, saved at eight. */
export const definitionOf = (id: string, changes: Partial<ScheduleDefinition> = {}): ScheduleDefinition => ({
  subject: { kind: 'agent', id },
  runs: { kind: 'agent', id },
  schedule: '* * * * *',
  timezone: 'UTC',
  enabled: true,
  input: 'Go',
  catchUp: 'skip',
  overlap: 'queue',
  savedAt: at('08:00:00.000'),
  ...changes,
})

/** The cursor of such a schedule. */
export const cursorOf = (id: string, through: string, schedule = '* * * * *'): ScheduleCursor => ({
  subject: { kind: 'agent', id },
  schedule: `${schedule} [UTC]`,
  through,
})

/** A book over a store that says what it was asked for, and a clock that is set by hand. */
export function openBook(time: string) {
  const clock = { now: ms(time) }
  const cursors = new Map<string, ScheduleCursor>()
  const calls: string[] = []
  const store: Pick<ScheduleStore, 'startSchedule' | 'stopSchedule'> = {
    async startSchedule(cursor) {
      const { subject, schedule, through } = cursor
      calls.push(schedule === '' ? `rest ${subject.id}` : `start ${subject.id} ${through.slice(11, -1)}`)
      const there = cursors.get(cursor.subject.id)
      if (there?.schedule === cursor.schedule) return there
      cursors.set(cursor.subject.id, cursor)
      return cursor
    },
    async stopSchedule({ id }) {
      calls.push(`stop ${id}`)
      cursors.delete(id)
    },
  }
  const book = createScheduleRegistry({
    store,
    read(definition) {
      const means = reader.read(definition)
      return 'problem' in means ? undefined : means
    },
    now: () => clock.now,
  })
  return {
    book,
    clock,
    cursors,
    /** What the store was asked for since the last time. */
    asked: () => calls.splice(0),
    /** Takes all schedules, due or not. */
    takeEvery() {
      clock.now = Infinity
      return book.takeDue(Infinity)
    },
    /** Takes all that is due, and names it with its time. */
    takeAll: () => book.takeDue(99).map(({ subject, due }) => `${subject.id} ${timeOf(due)}`),
  }
}

/** The time of day, to the millisecond. */
export const timeOf = (instant: number) => new Date(instant).toISOString().slice(11, -1)

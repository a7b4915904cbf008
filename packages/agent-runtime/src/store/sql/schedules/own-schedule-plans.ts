import { all, buildOnce, change, compileStatement, first, emit } from '@homeward/kit/sql'
import type { Kysely } from 'kysely'
import type { StoredSchedule } from '../../ports/schedule-store.ts'
import type { TaskSubject } from '../../ports/task-store.ts'
import { fromJson } from '../json.ts'
import type { Plan } from '../plan.ts'
import type { RuntimeTables } from '../schema.ts'
import { toSubjectKey } from '../tasks/task-row.ts'
import type { OwnSchedulesTable } from './schedule-tables.ts'

const changed = { topic: 'definition' } as const

/** The verbs of `ScheduleStore` on schedules of their own, as plans. */
export function createOwnSchedulePlans(db: Kysely<RuntimeTables>) {
  const statements = buildOnce(db, createOwnScheduleStatements)

  function* deleteSchedulesOf(runs: TaskSubject): Plan<void> {
    if ((yield* change(statements.removeOf, { subject: toSubjectKey(runs) })) > 0) yield* emit(changed)
  }

  return {
    *insertSchedule(schedule: StoredSchedule, most: number): Plan<boolean | undefined> {
      if (yield* first(statements.find, schedule)) return undefined
      const { count = 0 } = (yield* first(statements.count, {})) ?? {}
      if (count >= most) return false
      yield* change(statements.insert, toRow(schedule))
      yield* emit(changed)
      return true
    },

    *replaceSchedule(schedule: StoredSchedule): Plan<boolean> {
      const isReplaced = (yield* change(statements.replace, toRow(schedule))) > 0
      if (isReplaced) yield* emit(changed)
      return isReplaced
    },

    *deleteSchedule(id: string): Plan<boolean> {
      const isDeleted = (yield* change(statements.remove, { id })) > 0
      if (isDeleted) yield* emit(changed)
      return isDeleted
    },

    deleteSchedulesOf,

    *findSchedule(id: string): Plan<StoredSchedule | undefined> {
      const row = yield* first(statements.find, { id })
      return row && fromJson<StoredSchedule>(row.schedule)
    },

    *listSchedules(): Plan<StoredSchedule[]> {
      return (yield* all(statements.list, {})).map(({ schedule }) => fromJson<StoredSchedule>(schedule))
    },

    /** The plan that deletes what schedules run, with its schedules: both, or neither. */
    withSchedulesOf(kind: TaskSubject['kind'], remove: (id: string) => Plan<boolean>) {
      return function* removeBoth(id: string): Plan<boolean> {
        const isRemoved = yield* remove(id)
        if (isRemoved) yield* deleteSchedulesOf({ kind, id })
        return isRemoved
      }
    },
  }
}

function createOwnScheduleStatements(db: Kysely<RuntimeTables>) {
  return {
    count: compileStatement<object, { count: number }>('read', () =>
      db.selectFrom('own_schedules').select((eb) => eb.fn.countAll<number>().as('count')),
    ),
    insert: compileStatement<OwnSchedulesTable, unknown>('write', ({ id, created_at, subject, schedule }) =>
      db.insertInto('own_schedules').values({ id, created_at, subject, schedule }),
    ),
    replace: compileStatement<OwnSchedulesTable, unknown>('write', ({ id, created_at, subject, schedule }) =>
      db.updateTable('own_schedules').set({ created_at, subject, schedule }).where('id', '=', id),
    ),
    remove: compileStatement<{ id: string }, unknown>('write', ({ id }) =>
      db.deleteFrom('own_schedules').where('id', '=', id),
    ),
    removeOf: compileStatement<{ subject: string }, unknown>('write', ({ subject }) =>
      db.deleteFrom('own_schedules').where('subject', '=', subject),
    ),
    find: compileStatement<{ id: string }, { schedule: string }>('read', ({ id }) =>
      db.selectFrom('own_schedules').select('schedule').where('id', '=', id),
    ),
    list: compileStatement<object, { schedule: string }>('read', () =>
      db.selectFrom('own_schedules').select('schedule').orderBy('created_at').orderBy('id'),
    ),
  }
}

function toRow(schedule: StoredSchedule): OwnSchedulesTable {
  const { id, created_at, runs } = schedule
  return { id, created_at, subject: toSubjectKey(runs), schedule: JSON.stringify(schedule) }
}

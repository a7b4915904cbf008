import type { Kysely } from 'kysely'
import { buildOnce, all, compileStatement, each, first } from '@homeward/kit/sql'
import type { NewJournalEvent } from '../../ports/journal.ts'
import type {
  OccurrenceOutcome,
  ScheduleCursor,
  Occurrence,
  ScheduleSubject,
} from '../../ports/schedule-store.ts'
import type { JournalPlans } from '../journal/journal-plans.ts'
import type { Plan } from '../plan.ts'
import type { SchedulesTable } from './schedule-tables.ts'
import type { RuntimeTables } from '../schema.ts'
import type { TaskPlans } from '../tasks/task-plans.ts'

type Parts = Pick<JournalPlans, 'addEvents'> & Pick<TaskPlans, 'addTask' | 'hasOpenScheduledTask'>

/** The verbs of `ScheduleStore` as plans. Many fires share a transaction, and each statement runs for all of them. */
export function createSchedulePlans(db: Kysely<RuntimeTables>, parts: Parts) {
  const statements = buildOnce(db, createScheduleStatements)

  /** Makes the task of a fire, unless it is left out. What it has to say is added to `journal`. */
  function* addFire(fire: Occurrence, journal: NewJournalEvent[]): Plan<OccurrenceOutcome> {
    const { task, overlap } = fire
    if (task === undefined) {
      journal.push(...fire.journal)
      return 'noted'
    }
    if (overlap === 'skip' && (yield* parts.hasOpenScheduledTask(task))) {
      journal.push(...fire.onSkip)
      return 'skipped'
    }
    const { created } = yield* parts.addTask(task, [])
    if (!created) return 'done'
    journal.push(...fire.journal)
    return 'fired'
  }

  return {
    *listScheduleCursors(): Plan<ScheduleCursor[]> {
      return (yield* all(statements.list, {})).map(toCursor)
    },

    *startSchedule({ subject, schedule, through }: ScheduleCursor): Plan<ScheduleCursor> {
      const known = yield* first(statements.find, subject)
      if (known?.schedule === schedule) return toCursor(known)
      const { kind, id } = subject
      yield* all(statements.start, { kind, id, schedule, through })
      return toCursor({ kind, id, schedule, through, last_fire: known?.last_fire ?? null })
    },

    *stopSchedule(subject: ScheduleSubject): Plan<void> {
      yield* all(statements.stop, subject)
    },

    *recordOccurrences(fires: readonly Occurrence[]): Plan<readonly OccurrenceOutcome[]> {
      const subjects = new Map(fires.map(({ subject }) => [keyOf(subject), subject]))
      const rows = yield* each(statements.find, [...subjects.values()])
      const cursors = new Map(rows.map((row) => [keyOf(row), row]))
      const moved = new Set<SchedulesTable>()
      const journal: NewJournalEvent[] = []
      const outcomes: OccurrenceOutcome[] = []
      for (const fire of fires) {
        const cursor = cursors.get(keyOf(fire.subject))
        const early = earlyOutcome(fire, cursor)
        const outcome = early ?? (yield* addFire(fire, journal))
        outcomes.push(outcome)
        if (early !== undefined || cursor === undefined) continue
        cursor.through = fire.scheduledFor
        if (outcome === 'fired') cursor.last_fire = fire.scheduledFor
        moved.add(cursor)
      }
      if (moved.size > 0) yield* each(statements.move, [...moved])
      yield* parts.addEvents(journal)
      return outcomes
    },
  }
}

function createScheduleStatements(db: Kysely<RuntimeTables>) {
  return {
    list: compileStatement<object, SchedulesTable>('read', () =>
      db.selectFrom('schedules').selectAll().orderBy('kind').orderBy('id'),
    ),
    find: compileStatement<ScheduleSubject, SchedulesTable>('read', ({ kind, id }) =>
      db.selectFrom('schedules').selectAll().where('kind', '=', kind).where('id', '=', id),
    ),
    start: compileStatement<Omit<SchedulesTable, 'last_fire'>, unknown>(
      'write',
      ({ kind, id, schedule, through }) =>
        db
          .insertInto('schedules')
          .values({ kind, id, schedule, through })
          .onConflict((conflict) =>
            conflict.columns(['kind', 'id']).doUpdateSet((eb) => ({
              schedule: eb.ref('excluded.schedule'),
              through: eb.ref('excluded.through'),
            })),
          ),
    ),
    stop: compileStatement<ScheduleSubject, unknown>('write', ({ kind, id }) =>
      db.deleteFrom('schedules').where('kind', '=', kind).where('id', '=', id),
    ),
    move: compileStatement<SchedulesTable, unknown>('write', ({ kind, id, through, last_fire }) =>
      db.updateTable('schedules').set({ through, last_fire }).where('kind', '=', kind).where('id', '=', id),
    ),
  }
}

/** What is clear before anything is written: somebody else has done it, or it is no longer wanted. */
function earlyOutcome(fire: Occurrence, cursor: SchedulesTable | undefined): 'stale' | 'done' | undefined {
  if (cursor?.schedule !== fire.schedule) return 'stale'
  return fire.scheduledFor <= cursor.through ? 'done' : undefined
}

const keyOf = ({ kind, id }: Pick<SchedulesTable, 'kind' | 'id'>) => `${kind} ${id}`

function toCursor({ kind, id, schedule, through, last_fire }: SchedulesTable): ScheduleCursor {
  return {
    subject: { kind, id },
    schedule,
    through,
    ...(last_fire !== null && { lastOccurrence: last_fire }),
  }
}

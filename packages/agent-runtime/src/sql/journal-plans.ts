import type { JournalEvent } from '@homeward/contract/agent-platform'
import type { Kysely, Selectable } from 'kysely'
import { sql } from 'kysely'
import type { JournalFilter, NewJournalEvent } from '../ports/journal.ts'
import { fromJson } from './json.ts'
import type { Plan } from './plan.ts'
import { all, change, first } from './plan.ts'
import { rememberStatements } from './remember-statements.ts'
import { isRareType, rareTypes } from './rare-types.ts'
import { toRunKey } from './run-key.ts'
import type { JournalTable, RuntimeTables } from './schema.ts'
import type { Statement } from './statement.ts'
import { compileStatement } from './statement.ts'

/** Most events in one statement. */
const insertedAtOnce = 16
/** How many old events a write looks at to remove them. */
const prunedAtOnce = 64

/** The verbs of `Journal` as plans. Appending costs one statement for 16 events. */
export function createJournalPlans(db: Kysely<RuntimeTables>) {
  const statements = createJournalStatements(db)
  const insertOf = rememberStatements(({ count }: InsertShape) => compileInsert(db, count))
  const listOf = rememberStatements((shape: ListShape) => compileList(db, shape))

  function* addEvents(events: readonly NewJournalEvent[]): Plan<void> {
    for (let start = 0; start < events.length; start += insertedAtOnce) {
      const rows = events.slice(start, start + insertedAtOnce)
      yield* change(insertOf({ count: rows.length }), rows)
    }
  }

  return {
    *appendEvents(events: readonly NewJournalEvent[]): Plan<number> {
      yield* addEvents(events)
      return (yield* first(statements.last, {}))?.seq ?? 0
    },

    /** Appends events as part of another plan. */
    addEvents,

    *listEvents(filter: JournalFilter): Plan<JournalEvent[]> {
      const { type, runId, since, limit } = filter
      const shape: ListShape = {
        byType: type === undefined ? 'no' : isRareType(type) ? 'rare' : 'frequent',
        byRun: runId !== undefined,
        since: since !== undefined,
      }
      const runKey = toRunKey(runId ?? '')
      const args = { type: type ?? '', runId: runId ?? '', runKey, since: since ?? 0, limit }
      const rows = yield* all(listOf(shape), args)
      return (since === undefined ? rows.toReversed() : rows).map(toEvent)
    },

    /** Removes events from before a time, a few at once. The newest one stays: it tells the next number. */
    *pruneJournal(before: string): Plan<void> {
      yield* all(statements.prune, { before, limit: prunedAtOnce })
    },
  }
}

/** See {@link createJournalPlans}. */
export type JournalPlans = ReturnType<typeof createJournalPlans>

/** The database gives the number: one more than the greatest. */
type NewRow = Omit<Selectable<JournalTable>, 'seq'>

interface InsertShape extends Record<string, number> {
  readonly count: number
}

interface ListShape extends Record<string, boolean | string> {
  readonly byType: 'no' | 'rare' | 'frequent'
  readonly byRun: boolean
  readonly since: boolean
}

interface ListArgs {
  type: string
  runId: string
  runKey: number
  since: number
  limit: number
}

function createJournalStatements(db: Kysely<RuntimeTables>) {
  return {
    last: compileStatement<object, { seq: number | null }>('read', () =>
      db.selectFrom('journal').select((eb) => eb.fn.max<number | null>('seq').as('seq')),
    ),
    prune: compileStatement<{ before: string; limit: number }, unknown>('write', ({ before, limit }) =>
      db.deleteFrom('journal').where(
        'seq',
        'in',
        sql<number>`(select seq from (select seq, timestamp from journal
          where seq < (select max(seq) from journal) order by seq limit ${limit}) as oldest
          where timestamp < ${before})`,
      ),
    ),
  }
}

/** Many rows in one statement: each statement costs more than a row does. */
function compileInsert(
  db: Kysely<RuntimeTables>,
  count: number,
): Statement<readonly NewJournalEvent[], unknown> {
  const row: NewRow = { type: '', run_key: 0, run_id: '', timestamp: '', data: '' }
  const rows = Array.from({ length: count }, () => row)
  return {
    kind: 'write',
    sql: db.insertInto('journal').values(rows).compile().sql,
    bind: (events) => events.flatMap(toValues),
  }
}

/** Values in the order of the columns above. */
function toValues({ type, timestamp, runId, data }: NewJournalEvent): readonly unknown[] {
  const runKey = runId === undefined ? null : toRunKey(runId)
  return [type, runKey, runId ?? null, timestamp, JSON.stringify(data)]
}

function compileList(db: Kysely<RuntimeTables>, shape: ListShape) {
  return compileStatement<ListArgs, Selectable<JournalTable>>(
    'read',
    ({ type, runId, runKey, since, limit }) => {
      let query = db.selectFrom('journal').selectAll().limit(limit)
      if (shape.byType !== 'no') query = query.where('type', '=', type)
      if (shape.byType === 'rare') query = query.where(rareTypes)
      if (shape.byRun) query = query.where('run_key', '=', runKey).where('run_id', '=', runId)
      return shape.since ? query.where('seq', '>', since).orderBy('seq') : query.orderBy('seq', 'desc')
    },
  )
}

function toEvent({ seq, type, timestamp, run_id, data }: Selectable<JournalTable>): JournalEvent {
  return {
    seq,
    type,
    timestamp,
    ...(run_id !== null && { run_id }),
    data: fromJson<JournalEvent['data']>(data),
  }
}

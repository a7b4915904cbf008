import type { JournalEvent } from '@homeward/contract/agent-platform'
import type { Kysely, Selectable } from 'kysely'
import { sql } from 'kysely'
import {
  buildOnce,
  all,
  change,
  compileStatement,
  first,
  type Statement,
  emit,
  rememberStatements,
} from '@homeward/kit/sql'
import type { JournalFilter, NewJournalEvent } from '../../ports/journal.ts'
import type { RetentionLimits } from '../../ports/retention.ts'
import { fromJson } from '../json.ts'
import type { Plan } from '../plan.ts'
import { isRareType, rareTypes } from './rare-types.ts'
import type { JournalTable, RuntimeTables } from '../schema.ts'

/** Most events in one statement. */
const insertedAtOnce = 16
/** How many old events one write removes at the most. */
export const prunedAtOnce = 512

/** The verbs of `Journal` as plans. Appending costs one statement for 16 events. */
export function createJournalPlans(db: Kysely<RuntimeTables>) {
  const statements = buildOnce(db, createJournalStatements)
  const insertOf = rememberStatements(({ count }: InsertShape) => compileJournalInsert(db, count))
  const listOf = rememberStatements((shape: ListShape) => compileList(db, shape))

  function* addEvents(events: readonly NewJournalEvent[]): Plan<void> {
    for (let start = 0; start < events.length; start += insertedAtOnce) {
      const rows = events.slice(start, start + insertedAtOnce)
      yield* change(insertOf({ count: rows.length }), rows)
    }
    if (events.length > 0) yield* emit({ topic: 'journal' })
  }

  return {
    *appendEvents(events: readonly NewJournalEvent[]): Plan<number> {
      yield* addEvents(events)
      return (yield* first(statements.last, {}))?.seq ?? 0
    },

    /** Appends events as part of another plan. */
    addEvents,

    *lastEventSeq(): Plan<number> {
      return (yield* first(statements.last, {}))?.seq ?? 0
    },

    *listEvents(filter: JournalFilter): Plan<JournalEvent[]> {
      const { type, runId, since, limit } = filter
      const types = type === undefined ? filter.types : [type]
      const args = { runId: runId ?? '', since: since ?? 0, limit }
      const shape = { byRun: runId !== undefined, since: since !== undefined }
      const isForward = since !== undefined
      if (types === undefined)
        return toEvents(yield* all(listOf({ ...shape, byType: 'no', count: 0 }), args), isForward)
      const distinct = [...new Set(types)]
      if (distinct.length === 0) return []
      if (runId !== undefined || !distinct.every(isRareType)) {
        const statement = listOf({ ...shape, byType: 'frequent', count: distinct.length })
        return toEvents(yield* all(statement, { ...args, types: distinct }), isForward)
      }
      // Each type by its own part of the index, which is in order.
      const rows: JournalRow[] = []
      const statement = listOf({ ...shape, byType: 'rare', count: 1 })
      // What is written between the reads is for the next one: a reader goes on behind the greatest number it gets.
      const last = (yield* first(statements.last, {}))?.seq ?? 0
      for (const each of distinct) rows.push(...(yield* all(statement, { ...args, types: [each] })))
      const ordered = rows
        .filter(({ seq }) => seq <= last)
        .toSorted((a, b) => (isForward ? a.seq - b.seq : b.seq - a.seq))
      return toEvents(ordered.slice(0, limit), isForward)
    },

    /**
     * Removes events from before a time, and those that are too many: a number of them at once. The newest one stays: it
     * tells the next number.
     *
     * @returns whether there may be more.
     */
    *pruneJournal({ journalBefore, journalEvents }: RetentionLimits): Plan<boolean> {
      let removed = 0
      if (journalBefore !== undefined) {
        removed = yield* change(statements.prune, { before: journalBefore })
      }
      // Some of those that were looked at may be younger than their neighbours: clocks differ.
      const mayBeMore = removed > prunedAtOnce / 2
      if (journalEvents === undefined) return mayBeMore
      const surplus = yield* change(statements.pruneSurplus, { kept: journalEvents })
      return mayBeMore || surplus === prunedAtOnce
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

interface ListShape extends Record<string, boolean | string | number> {
  readonly byType: 'no' | 'rare' | 'frequent'
  /** Types to filter by. */
  readonly count: number
  readonly byRun: boolean
  readonly since: boolean
}

interface ListArgs {
  types?: readonly string[]
  runId: string
  since: number
  limit: number
}

function createJournalStatements(db: Kysely<RuntimeTables>) {
  return {
    last: compileStatement<object, { seq: number | null }>('read', () =>
      db.selectFrom('journal').select((eb) => eb.fn.max<number | null>('seq').as('seq')),
    ),
    // Limits are literals: of a parameter Postgres would fear the worst, and read the whole table.
    prune: compileStatement<{ before: string }, unknown>('write', ({ before }) =>
      db.deleteFrom('journal').where(
        'seq',
        'in',
        sql<number>`(select seq from (select seq, timestamp from journal
          where seq < (select max(seq) from journal) order by seq limit ${sql.lit(prunedAtOnce)}) as oldest
          where timestamp < ${before})`,
      ),
    ),
    pruneSurplus: compileStatement<{ kept: number }, unknown>('write', ({ kept }) =>
      db.deleteFrom('journal').where(
        'seq',
        'in',
        sql<number>`(select seq from journal where seq <= (select max(seq) from journal) - ${kept}
          order by seq limit ${sql.lit(prunedAtOnce)})`,
      ),
    ),
  }
}

/** An event as it is kept. */
export type JournalRow = Selectable<JournalTable>

/** Many rows in one statement: each statement costs more than a row does. */
export function compileJournalInsert(
  db: Kysely<RuntimeTables>,
  count: number,
): Statement<readonly NewJournalEvent[], unknown> {
  const row: NewRow = { type: '', run_id: '', timestamp: '', data: '' }
  const rows = Array.from({ length: count }, () => row)
  return {
    kind: 'write',
    sql: db.insertInto('journal').values(rows).compile().sql,
    bind: (events) => events.flatMap(toJournalValues),
  }
}

/** Values in the order of the columns above. */
export function toJournalValues({ type, timestamp, runId, data }: NewJournalEvent): readonly unknown[] {
  return [type, runId ?? null, timestamp, JSON.stringify(data)]
}

function compileList(
  db: Kysely<RuntimeTables>,
  { byType, count, byRun, since }: ListShape,
): Statement<ListArgs, JournalRow> {
  let query = db.selectFrom('journal').selectAll()
  if (byType !== 'no')
    query = query.where(
      'type',
      'in',
      Array.from({ length: count }, () => ''),
    )
  if (byType === 'rare') query = query.where(rareTypes)
  if (byRun) query = query.where('run_id', '=', '')
  query = since ? query.where('seq', '>', 0).orderBy('seq') : query.orderBy('seq', 'desc')
  return {
    kind: 'read',
    sql: query.limit(0).compile().sql,
    // in the order of the placeholders above
    bind: (args) => [
      ...(byType === 'no' ? [] : (args.types ?? [])),
      ...(byRun ? [args.runId] : []),
      ...(since ? [args.since] : []),
      args.limit,
    ],
  }
}

function toEvents(rows: readonly JournalRow[], isForward: boolean): JournalEvent[] {
  return (isForward ? rows : rows.toReversed()).map(toEvent)
}

/** An event from its row. */
export function toEvent({ seq, type, timestamp, run_id, data }: Selectable<JournalTable>): JournalEvent {
  return {
    seq,
    type,
    timestamp,
    ...(run_id !== null && { run_id }),
    data: fromJson<JournalEvent['data']>(data),
  }
}

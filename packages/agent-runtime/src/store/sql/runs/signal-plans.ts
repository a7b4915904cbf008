import { all, buildOnce, change, compileStatement, first } from '@homeward/kit/sql'
import { type Compilable, type Generated, type Kysely, type Selectable, sql } from 'kysely'
import type { InsertedSignal, NewSignal, StoredSignal } from '../../ports/signal-store.ts'
import { fromJson } from '../json.ts'
import type { Plan } from '../plan.ts'
import type { RuntimeTables } from '../schema.ts'

/** Signals, in the order of `seq`. */
interface SignalsTable {
  seq: Generated<number>
  id: string
  event: string
  /** JSON. */
  data: string
  created_at: string
  kept_until: string | null
  delivered: number | null
}

/** The table of signals. */
export interface SignalTables {
  signals: SignalsTable
}

type SignalRow = Selectable<SignalsTable>

/** Makes the table of signals. */
export function buildSignalTables({ schema }: Kysely<RuntimeTables>): readonly Compilable[] {
  const index = (name: string, ...columns: string[]) =>
    schema.createIndex(name).on('signals').columns(columns)
  return [
    schema
      .createTable('signals')
      .addColumn('seq', 'integer', (column) => column.primaryKey())
      .addColumn('id', 'text', (column) => column.notNull())
      .addColumn('event', 'text', (column) => column.notNull())
      .addColumn('data', 'text', (column) => column.notNull())
      .addColumn('created_at', 'text', (column) => column.notNull())
      .addColumn('kept_until', 'text')
      .addColumn('delivered', 'integer'),
    index('signals_id', 'id', 'created_at'),
    index('signals_time', 'created_at'),
    index('signals_kept', 'event', 'seq').where(sql.ref('kept_until'), 'is not', null),
  ]
}

/** Maximum number of old signals that a new one removes. */
const prunedAtOnce = 64

/** The verbs of `SignalStore` as plans. */
export function createSignalPlans(db: Kysely<RuntimeTables>) {
  const statements = buildOnce(db, createSignalStatements)
  return {
    *insertSignal({ knownSince, ...signal }: NewSignal): Plan<InsertedSignal> {
      const { id, event, data, createdAt, keptUntil = null } = signal
      const known = yield* first(statements.find, { id, since: knownSince })
      if (known) return { signal: toSignal(known), isNew: false }
      yield* change(statements.prune, { before: knownSince, now: createdAt })
      const row = { id, event, data: JSON.stringify(data), created_at: createdAt, kept_until: keptUntil }
      yield* change(statements.insert, row)
      return { signal, isNew: true }
    },

    *settleSignal({
      id,
      createdAt,
      delivered,
    }: Pick<StoredSignal, 'id' | 'createdAt'> & { readonly delivered: number }): Plan<number | undefined> {
      yield* change(statements.settle, { id, createdAt, delivered })
      return (yield* first(statements.find, { id, since: createdAt }))?.delivered ?? undefined
    },

    *listKeptSignals(event: string, now: string, limit: number): Plan<readonly StoredSignal[]> {
      return (yield* all(statements.listKept, { event, now, limit })).map(toSignal)
    },
  }
}

function createSignalStatements(db: Kysely<RuntimeTables>) {
  return {
    find: compileStatement<{ id: string; since: string }, SignalRow>('read', ({ id, since }) =>
      db
        .selectFrom('signals')
        .selectAll()
        .where('id', '=', id)
        .where('created_at', '>=', since)
        .orderBy('seq', 'desc')
        .limit(sql.lit(1)),
    ),
    insert: compileStatement<Omit<SignalRow, 'seq' | 'delivered'>, unknown>('write', (row) =>
      db.insertInto('signals').values({
        id: row.id,
        event: row.event,
        data: row.data,
        created_at: row.created_at,
        kept_until: row.kept_until,
      }),
    ),
    settle: compileStatement<{ id: string; createdAt: string; delivered: number }, unknown>(
      'write',
      ({ id, createdAt, delivered }) =>
        db
          .updateTable('signals')
          .set({ delivered })
          .where('id', '=', id)
          .where('created_at', '=', createdAt)
          .where('delivered', 'is', null),
    ),
    listKept: compileStatement<{ event: string; now: string; limit: number }, SignalRow>(
      'read',
      ({ event, now, limit }) =>
        db
          .selectFrom('signals')
          .selectAll()
          .where('event', '=', event)
          .where('kept_until', '>', now)
          .orderBy('seq')
          .limit(limit),
    ),
    // the limit is a literal: of a parameter Postgres would fear the worst
    prune: compileStatement<{ before: string; now: string }, unknown>('write', ({ before, now }) =>
      db.deleteFrom('signals').where(
        'seq',
        'in',
        sql<number>`(select seq from signals where created_at < ${before}
          and (kept_until is null or kept_until <= ${now}) order by created_at limit ${sql.lit(prunedAtOnce)})`,
      ),
    ),
  }
}

const toSignal = (row: SignalRow): StoredSignal => ({
  id: row.id,
  event: row.event,
  data: fromJson<StoredSignal['data']>(row.data),
  createdAt: row.created_at,
  ...(row.kept_until !== null && { keptUntil: row.kept_until }),
  ...(row.delivered !== null && { delivered: row.delivered }),
})

import { all, buildOnce, change, compileStatement, first } from '@homeward/kit/sql'
import { type Compilable, type Generated, type Kysely, type Selectable, sql } from 'kysely'
import { numberPositionOf, toPage } from '../../cursor.ts'
import type { Page, PageRequest } from '../../ports/page.ts'
import type { InsertedSignal, NewSignal, StoredSignal } from '../../ports/signal-store.ts'
import type { StoredWait, WaitSettlement } from '../../ports/wait.ts'
import { fromJson } from '../json.ts'
import type { Plan } from '../plan.ts'
import type { RuntimeTables } from '../schema.ts'
import { toWait, type WaitRow } from './wait-plans.ts'

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
  last_wait: Generated<number>
  /** Number of waits that have got it. */
  receivers: Generated<number>
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

/** Adds what makes a delivery safe that several processes make, or that breaks off. */
export function addSignalDelivery({ schema }: Kysely<RuntimeTables>): readonly Compilable[] {
  const add = (name: string) =>
    schema.alterTable('signals').addColumn(name, 'integer', (column) => column.notNull().defaultTo(0))
  return [
    add('last_wait'),
    add('receivers'),
    schema
      .createIndex('signals_undelivered')
      .on('signals')
      .column('seq')
      .where(sql.ref('delivered'), 'is', null),
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
      const stored = yield* first(statements.find, { id, since: createdAt })
      return { signal: { ...signal, lastWait: stored?.last_wait ?? 0 }, isNew: true }
    },

    *listSignalWaits(
      { event, lastWait, keptUntil = '' }: Pick<StoredSignal, 'event' | 'lastWait' | 'keptUntil'>,
      page: PageRequest,
    ): Plan<Page<StoredWait>> {
      const after = numberPositionOf(page) ?? 0
      const args = { event, lastWait, keptUntil, after, limit: page.limit + 1 }
      return toPage(yield* all(statements.listWaits, args), page.limit, toWait, ({ seq }) => [seq])
    },

    *settleSignal({ id, createdAt }: Pick<StoredSignal, 'id' | 'createdAt'>): Plan<number | undefined> {
      yield* change(statements.settle, { id, createdAt })
      return (yield* first(statements.find, { id, since: createdAt }))?.delivered ?? undefined
    },

    *listUndelivered(limit: number): Plan<readonly StoredSignal[]> {
      return (yield* all(statements.listUndelivered, { limit })).map(toSignal)
    },

    *listKeptSignals(event: string, now: string, limit: number): Plan<readonly StoredSignal[]> {
      return (yield* all(statements.listKept, { event, now, limit })).map(toSignal)
    },

    /** Whether a wait must not get a signal, because it was opened later and its run has got it. */
    *hasSignal({ runId, waitId, settledBy = '', signal }: WaitSettlement): Plan<boolean> {
      if (!signal) return false
      const args = { runId, waitId, settledBy, lastWait: signal.lastWait }
      return (yield* first(statements.findReceiver, args)) !== undefined
    },

    /** Counts a wait that gets a signal. */
    *countReceiver({ id, createdAt }: Pick<StoredSignal, 'id' | 'createdAt'>): Plan<void> {
      yield* change(statements.count, { id, createdAt })
    },
  }
}

/** See {@link createSignalPlans}. */
export type SignalPlans = ReturnType<typeof createSignalPlans>

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
    insert: compileStatement<Insertable, unknown>('write', (row) =>
      db.insertInto('signals').values({
        id: row.id,
        event: row.event,
        data: row.data,
        created_at: row.created_at,
        kept_until: row.kept_until,
        last_wait: sql<number>`(select coalesce(max(seq), 0) from waits)`,
      }),
    ),
    listWaits: compileStatement<ListWaitsArgs, WaitRow>(
      'read',
      ({ event, lastWait, keptUntil, after, limit }) =>
        db
          .selectFrom('waits')
          .selectAll()
          .where('event', '=', event)
          .where('status', '=', sql.lit('open' as const))
          .where('seq', '>', after)
          .where(({ or, eb }) => or([eb('seq', '<=', lastWait), eb('created_at', '<=', keptUntil)]))
          .orderBy('seq')
          .limit(limit),
    ),
    settle: compileStatement<SignalKey, unknown>('write', ({ id, createdAt }) =>
      db
        .updateTable('signals')
        .set({ delivered: sql.ref('receivers') })
        .where('id', '=', id)
        .where('created_at', '=', createdAt)
        .where('delivered', 'is', null),
    ),
    count: compileStatement<SignalKey, unknown>('write', ({ id, createdAt }) =>
      db
        .updateTable('signals')
        .set({ receivers: sql<number>`receivers + 1` })
        .where('id', '=', id)
        .where('created_at', '=', createdAt),
    ),
    findReceiver: compileStatement<ReceiverArgs, { id: string }>(
      'read',
      ({ runId, waitId, settledBy, lastWait }) =>
        db
          .selectFrom('waits')
          .select('id')
          .where('run_id', '=', runId)
          .where('settled_by', '=', settledBy)
          .where(
            sql<boolean>`(select seq from waits where run_id = ${runId} and id = ${waitId}) > ${lastWait}`,
          )
          .limit(sql.lit(1)),
    ),
    listUndelivered: compileStatement<{ limit: number }, SignalRow>('read', ({ limit }) =>
      db.selectFrom('signals').selectAll().where('delivered', 'is', null).orderBy('seq').limit(limit),
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
        sql<number>`(select seq from signals where created_at < ${before} and delivered is not null
          and (kept_until is null or kept_until <= ${now}) order by created_at limit ${sql.lit(prunedAtOnce)})`,
      ),
    ),
  }
}

type Insertable = Omit<SignalRow, 'seq' | 'delivered' | 'last_wait' | 'receivers'>
type SignalKey = { id: string; createdAt: string }
type ListWaitsArgs = { event: string; lastWait: number; keptUntil: string; after: number; limit: number }
type ReceiverArgs = { runId: string; waitId: string; settledBy: string; lastWait: number }

const toSignal = (row: SignalRow): StoredSignal => ({
  id: row.id,
  event: row.event,
  data: fromJson<StoredSignal['data']>(row.data),
  createdAt: row.created_at,
  lastWait: row.last_wait,
  ...(row.kept_until !== null && { keptUntil: row.kept_until }),
  ...(row.delivered !== null && { delivered: row.delivered }),
})

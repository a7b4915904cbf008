import { all, buildOnce, change, compileStatement, first } from '@homeward/kit/sql'
import type { Compilable, Generated, Kysely, Selectable } from 'kysely'
import { sql } from 'kysely'
import type {
  NewTriggerCall,
  StoredTrigger,
  StoredTriggerCall,
  TriggerCallOutcome,
} from '../../ports/trigger-store.ts'
import { fromJson } from '../json.ts'
import type { Plan } from '../plan.ts'
import type { RuntimeTables } from '../schema.ts'
import type { SignalPlans } from '../runs/signal-plans.ts'
import type { TaskPlans } from '../tasks/task-plans.ts'

/** Triggers. */
interface TriggersTable {
  id: string
  created_at: string
  /** JSON of the whole trigger. */
  trigger: string
}

/** Valid calls of triggers, in the order of `seq`. */
interface TriggerCallsTable {
  seq: Generated<number>
  id: string
  trigger_id: string
  /** Null for a call without an id of its sender, and for a duplicate. */
  key: string | null
  at: string
  outcome: StoredTriggerCall['outcome']
  task_id: string | null
  reason: string | null
}

/** The tables of triggers. */
export interface TriggerTables {
  triggers: TriggersTable
  trigger_calls: TriggerCallsTable
}

/** Makes the tables of triggers. */
export function buildTriggerTables({ schema }: Kysely<RuntimeTables>): readonly Compilable[] {
  const calls = schema.createIndex('trigger_calls_time').on('trigger_calls')
  const keys = schema.createIndex('trigger_calls_key').on('trigger_calls')
  return [
    schema
      .createTable('triggers')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('created_at', 'text', (column) => column.notNull())
      .addColumn('trigger', 'text', (column) => column.notNull()),
    schema
      .createTable('trigger_calls')
      .addColumn('seq', 'integer', (column) => column.primaryKey())
      .addColumn('id', 'text', (column) => column.notNull())
      .addColumn('trigger_id', 'text', (column) =>
        column.notNull().references('triggers.id').onDelete('cascade'),
      )
      .addColumn('key', 'text')
      .addColumn('at', 'text', (column) => column.notNull())
      .addColumn('outcome', 'text', (column) => column.notNull())
      .addColumn('task_id', 'text')
      .addColumn('reason', 'text'),
    calls.columns(['trigger_id', 'at']),
    keys.columns(['trigger_id', 'key']).where(sql.ref('key'), 'is not', null),
  ]
}

/** Maximum number of old calls that one call removes. */
const prunedAtOnce = 64

/** The verbs of `TriggerStore` as plans. */
export function createTriggerPlans(
  db: Kysely<RuntimeTables>,
  { addTask, insertSignal }: Pick<TaskPlans, 'addTask'> & Pick<SignalPlans, 'insertSignal'>,
) {
  const statements = buildOnce(db, createTriggerStatements)

  function* findTrigger(id: string): Plan<StoredTrigger | undefined> {
    const row = yield* first(statements.find, { id })
    return row && fromJson<StoredTrigger>(row.trigger)
  }

  function* insertCall(call: NewTriggerCall, taskId: string | undefined): Plan<void> {
    yield* change(statements.insertCall, {
      id: call.id,
      trigger_id: call.triggerId,
      key: call.key ?? null,
      at: call.at,
      outcome: call.outcome,
      task_id: taskId ?? null,
      reason: call.reason ?? null,
    })
  }

  return {
    *insertTrigger(trigger: StoredTrigger, most: number): Plan<boolean> {
      const { count = 0 } = (yield* first(statements.count, {})) ?? {}
      if (count >= most) return false
      const { id, createdAt: created_at } = trigger
      yield* change(statements.insert, { id, created_at, trigger: JSON.stringify(trigger) })
      return true
    },

    *changeTrigger(
      id: string,
      toChanged: (before: StoredTrigger) => StoredTrigger,
    ): Plan<StoredTrigger | undefined> {
      const before = yield* findTrigger(id)
      if (before === undefined) return undefined
      const changed = toChanged(before)
      yield* change(statements.replace, { id, trigger: JSON.stringify(changed) })
      return changed
    },

    *deleteTrigger(id: string): Plan<boolean> {
      return (yield* change(statements.remove, { id })) > 0
    },

    findTrigger,

    *listTriggers(): Plan<readonly StoredTrigger[]> {
      return (yield* all(statements.list, {})).map(({ trigger }) => fromJson<StoredTrigger>(trigger))
    },

    *acceptTriggerCall(call: NewTriggerCall): Plan<TriggerCallOutcome> {
      const { triggerId, key, task, signal, journal, keptSince, limit } = call
      if (!(yield* first(statements.find, { id: triggerId }))) return { outcome: 'gone' }
      yield* change(statements.pruneCalls, { triggerId, before: keptSince })
      const { calls = 0 } = (yield* first(statements.countCalls, { triggerId, since: limit.since })) ?? {}
      if (calls >= limit.calls) return { outcome: 'limited' }
      const known =
        key === undefined ? undefined : yield* first(statements.findKey, { triggerId, key, keptSince })
      if (known !== undefined) {
        const { key: _, reason: __, ...repeated } = call
        const taskId = known.task_id ?? undefined
        yield* insertCall({ ...repeated, outcome: 'duplicate' }, taskId)
        return { outcome: 'duplicate', ...(taskId !== undefined && { taskId }) }
      }
      yield* insertCall(call, task?.id)
      if (signal) yield* insertSignal(signal)
      if (task === undefined) return { outcome: call.outcome }
      const { task: stored } = yield* addTask(task, journal)
      return { outcome: call.outcome, taskId: task.id, task: stored }
    },

    *listTriggerCalls(triggerId: string, limit: number): Plan<readonly StoredTriggerCall[]> {
      return (yield* all(statements.listCalls, { triggerId, limit })).map(toCall)
    },
  }
}

function createTriggerStatements(db: Kysely<RuntimeTables>) {
  return {
    count: compileStatement<object, { count: number }>('read', () =>
      db.selectFrom('triggers').select((eb) => eb.fn.countAll<number>().as('count')),
    ),
    insert: compileStatement<TriggersTable, unknown>('write', ({ id, created_at, trigger }) =>
      db.insertInto('triggers').values({ id, created_at, trigger }),
    ),
    replace: compileStatement<{ id: string; trigger: string }, unknown>('write', ({ id, trigger }) =>
      db.updateTable('triggers').set({ trigger }).where('id', '=', id),
    ),
    remove: compileStatement<{ id: string }, unknown>('write', ({ id }) =>
      db.deleteFrom('triggers').where('id', '=', id),
    ),
    find: compileStatement<{ id: string }, { trigger: string }>('read', ({ id }) =>
      db.selectFrom('triggers').select('trigger').where('id', '=', id),
    ),
    list: compileStatement<object, { trigger: string }>('read', () =>
      db.selectFrom('triggers').select('trigger').orderBy('created_at', 'desc').orderBy('id'),
    ),
    insertCall: compileStatement<Omit<Selectable<TriggerCallsTable>, 'seq'>, unknown>('write', (row) =>
      db.insertInto('trigger_calls').values({
        id: row.id,
        trigger_id: row.trigger_id,
        key: row.key,
        at: row.at,
        outcome: row.outcome,
        task_id: row.task_id,
        reason: row.reason,
      }),
    ),
    countCalls: compileStatement<{ triggerId: string; since: string }, { calls: number }>(
      'read',
      ({ triggerId, since }) =>
        db
          .selectFrom('trigger_calls')
          .select((eb) => eb.fn.countAll<number>().as('calls'))
          .where('trigger_id', '=', triggerId)
          .where('at', '>', since),
    ),
    findKey: compileStatement<KeyArgs, { task_id: string | null }>('read', ({ triggerId, key, keptSince }) =>
      db
        .selectFrom('trigger_calls')
        .select('task_id')
        .where('trigger_id', '=', triggerId)
        .where('key', '=', key)
        .where('at', '>=', keptSince),
    ),
    // the limit is a literal: of a parameter Postgres would fear the worst
    pruneCalls: compileStatement<{ triggerId: string; before: string }, unknown>(
      'write',
      ({ triggerId, before }) =>
        db.deleteFrom('trigger_calls').where(
          'seq',
          'in',
          sql<number>`(select seq from trigger_calls where trigger_id = ${triggerId} and at < ${before}
            order by at limit ${sql.lit(prunedAtOnce)})`,
        ),
    ),
    listCalls: compileStatement<{ triggerId: string; limit: number }, Selectable<TriggerCallsTable>>(
      'read',
      ({ triggerId, limit }) =>
        db
          .selectFrom('trigger_calls')
          .selectAll()
          .where('trigger_id', '=', triggerId)
          .orderBy('at', 'desc')
          .orderBy('seq', 'desc')
          .limit(limit),
    ),
  }
}

interface KeyArgs {
  readonly triggerId: string
  readonly key: string
  readonly keptSince: string
}

function toCall(row: Selectable<TriggerCallsTable>): StoredTriggerCall {
  return {
    id: row.id,
    triggerId: row.trigger_id,
    at: row.at,
    outcome: row.outcome,
    ...(row.task_id !== null && { taskId: row.task_id }),
    ...(row.reason !== null && { reason: row.reason }),
  }
}

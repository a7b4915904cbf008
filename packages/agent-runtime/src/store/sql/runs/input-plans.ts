import {
  all,
  buildOnce,
  change,
  compileStatement,
  emit,
  first,
  type Statement,
  rememberStatements,
} from '@homeward/kit/sql'
import { type Compilable, type Generated, type Kysely, type Selectable, sql } from 'kysely'
import type { ModelMessage } from '../../../ports/message.ts'
import type { InsertedRunInput, NewRunInput, RunInput } from '../../ports/run-input-store.ts'
import type { RunReport } from '../../ports/run-store.ts'
import { fromJson } from '../json.ts'
import type { Plan } from '../plan.ts'
import type { RuntimeTables } from '../schema.ts'
import type { TaskPlans } from '../tasks/task-plans.ts'
import { places, toGroups } from '../to-groups.ts'

/** Messages to runs, in the order of `seq`. */
interface RunInputsTable {
  seq: Generated<number>
  run_id: string
  id: string
  mode: RunInput['mode']
  /** 1 once a step of the run has it, else 0. */
  delivered: number
  /** Task that it has become; null for one that steers. */
  task_id: string | null
  /** JSON of the message. */
  input: string
}

/** The table of messages to runs. */
export interface InputTables {
  run_inputs: RunInputsTable
}

/** Makes the table of messages to runs. */
export function buildInputTables({ schema }: Kysely<RuntimeTables>): readonly Compilable[] {
  return [
    schema
      .createTable('run_inputs')
      .addColumn('seq', 'integer', (column) => column.primaryKey())
      .addColumn('run_id', 'text', (column) => column.notNull().references('runs.id').onDelete('cascade'))
      .addColumn('id', 'text', (column) => column.notNull())
      .addColumn('mode', 'text', (column) => column.notNull())
      .addColumn('delivered', 'integer', (column) => column.notNull())
      .addColumn('task_id', 'text')
      .addColumn('input', 'text', (column) => column.notNull()),
    schema.createIndex('run_inputs_id').unique().on('run_inputs').columns(['run_id', 'id']),
  ]
}

/** The verbs of `RunInputStore` as plans. */
export function createInputPlans(db: Kysely<RuntimeTables>, { addTask }: Pick<TaskPlans, 'addTask'>) {
  const statements = buildOnce(db, createInputStatements)
  const listOf = rememberStatements(({ count }: { readonly count: number }) => compileList(db, count))
  function* insertRunInput(given: NewRunInput): Plan<InsertedRunInput | 'ended' | 'unknown'> {
    const { createdAt: _, task, journal, ...input } = given
    const { runId, id, mode } = input
    const known = yield* first(statements.find, { runId, id })
    if (known !== undefined) return { input: fromJson<RunInput>(known.input), isNew: false }
    const run = yield* first(statements.findRun, { runId })
    if (run === undefined) return 'unknown'
    if (run.finished_at !== null) return 'ended'
    const row = { run_id: runId, id, mode, task_id: task?.id ?? null, input: JSON.stringify(input) }
    yield* change(statements.insert, row)
    if (task) {
      yield* addTask(task, journal)
      yield* change(statements.park, { id: task.id, runId })
    } else yield* emit({ topic: 'input', runId })
    return { input, isNew: true }
  }

  return {
    insertRunInput,

    /** Gives a result to a run, or else to a task. */
    *report({ input, task }: RunReport): Plan<void> {
      const stored = input && (yield* insertRunInput(input))
      if (typeof stored !== 'object') yield* addTask(task, [])
    },

    /** Whether a run takes messages. */
    *canSteer(runId: string): Plan<boolean> {
      return (yield* first(statements.findRun, { runId }))?.finished_at === null
    },

    *listRunInputs(runIds: readonly string[]): Plan<readonly RunInput[]> {
      const rows: Pick<RunInputsTable, 'input'>[] = []
      for (const ids of toGroups(runIds)) rows.push(...(yield* all(listOf({ count: ids.length }), { ids })))
      return rows.map(({ input }) => fromJson<RunInput>(input))
    },
  }
}

/** See {@link createInputPlans}. */
export type InputPlans = ReturnType<typeof createInputPlans>

/** Marks the messages to a run as delivered that messages of a step are. */
export function createDeliverInputs(db: Kysely<RuntimeTables>) {
  const { deliver } = buildOnce(db, createInputStatements)
  return function* deliverInputs(runId: string, messages: readonly ModelMessage[]): Plan<void> {
    for (const message of messages)
      if (message.role === 'user' && message.input !== undefined)
        yield* change(deliver, { runId, id: message.input })
  }
}

type InputKey = { readonly runId: string; readonly id: string }

function createInputStatements(db: Kysely<RuntimeTables>) {
  return {
    find: compileStatement<InputKey, { input: string }>('read', ({ runId, id }) =>
      db.selectFrom('run_inputs').select('input').where('run_id', '=', runId).where('id', '=', id),
    ),
    findRun: compileStatement<{ runId: string }, { finished_at: string | null }>('read', ({ runId }) =>
      db.selectFrom('runs').select('finished_at').where('id', '=', runId),
    ),
    insert: compileStatement<Omit<Selectable<RunInputsTable>, 'seq' | 'delivered'>, unknown>('write', (row) =>
      db.insertInto('run_inputs').values({
        run_id: row.run_id,
        id: row.id,
        mode: row.mode,
        delivered: sql.lit(0),
        task_id: row.task_id,
        input: row.input,
      }),
    ),
    /** Lets a task wait for the end of a run, unless it waits for another task of its serial key. */
    park: compileStatement<InputKey, unknown>('write', ({ runId, id }) =>
      db
        .updateTable('tasks')
        .set({ status: sql.lit('running'), parked: sql.lit(1), ready: sql.lit(0), run_id: runId })
        .where('id', '=', id)
        .where('ready', '=', sql.lit(1)),
    ),
    deliver: compileStatement<InputKey, unknown>('write', ({ runId, id }) =>
      db
        .updateTable('run_inputs')
        .set({ delivered: sql.lit(1) })
        .where('run_id', '=', runId)
        .where('id', '=', id),
    ),
  }
}

function compileList(
  db: Kysely<RuntimeTables>,
  count: number,
): Statement<{ readonly ids: readonly string[] }, { input: string }> {
  const query = db
    .selectFrom('run_inputs')
    .select('input')
    .where('run_id', 'in', places(count))
    .where('delivered', '=', sql.lit(0))
    .where(
      sql<boolean>`(task_id is null or exists (select 1 from tasks
        where tasks.id = run_inputs.task_id and tasks.started_at is null and tasks.finished_at is null))`,
    )
    .orderBy('seq')
  return { kind: 'read', sql: query.compile().sql, bind: ({ ids }) => ids }
}

import type { TaskStatus } from '@homeward/contract/agent-platform'
import type { Compilable, Generated, Kysely } from 'kysely'
import { sql } from 'kysely'
import type { RuntimeTables } from '../schema.ts'

/** Agents and graphs that ever had a task: each is a queue of its own, and they are served in turn. */
interface TaskLanesTable {
  id: Generated<number>
  /** Kind and id of the subject. */
  subject: string
  /** 1 when a task of it may be ready, 0 when none is: a claim that finds none puts it right. */
  ready: number
  /** Grows with each turn: the smallest number has waited longest. */
  served: number
}

/** Tasks, in the order in which they were kept. */
export interface TasksTable {
  seq: Generated<number>
  id: string
  /** Id of its lane. */
  lane: number
  idempotency_key: string | null
  serial_key: string | null
  status: TaskStatus
  /** 1 while it is queued and due, 2 while it is queued behind another one of its serial key, else 0. */
  ready: number
  /** 1 when it must not run beside another scheduled one of its subject, else 0. */
  serial: number
  /** 1 when a schedule made it, else 0. */
  scheduled: number
  /** Null when it belongs to no schedule. */
  schedule_id: string | null
  priority: number
  /** Orders tasks of the same priority in their lane, so that users take turns: see `turnOf`. */
  turn: Generated<number>
  user_id: string | null
  run_at: string
  attempt: number
  run_count: number
  run_id: string | null
  /** 1 or 0. */
  cancel_requested: number
  /** 1 or 0. */
  parked: number
  lease_owner: string | null
  lease_until: string | null
  updated_at: string
  started_at: string | null
  finished_at: string | null
  /** JSON of the task as it was made. */
  task: string
  /** JSON. */
  result: string | null
  /** JSON. */
  failure: string | null
}

/** The tables of the durable queue. */
export interface TaskTables {
  task_lanes: TaskLanesTable
  tasks: TasksTable
}

/** Makes the tables of the durable queue. */
export function buildTaskTables(db: Kysely<RuntimeTables>): readonly Compilable[] {
  return [...buildLanes(db), buildTasks(db), ...buildTaskIndexes(db)]
}

function buildLanes({ schema }: Kysely<RuntimeTables>): readonly Compilable[] {
  return [
    schema
      .createTable('task_lanes')
      .addColumn('id', 'integer', (column) => column.primaryKey())
      .addColumn('subject', 'text', (column) => column.notNull().unique())
      .addColumn('ready', 'integer', (column) => column.notNull())
      .addColumn('served', 'integer', (column) => column.notNull()),
    schema.createIndex('task_lanes_turn').on('task_lanes').columns(['ready', 'served', 'id']),
  ]
}

function buildTasks({ schema }: Kysely<RuntimeTables>): Compilable {
  return schema
    .createTable('tasks')
    .addColumn('seq', 'integer', (column) => column.primaryKey())
    .addColumn('id', 'text', (column) => column.notNull().unique())
    .addColumn('lane', 'integer', (column) => column.notNull().references('task_lanes.id'))
    .addColumn('idempotency_key', 'text')
    .addColumn('serial_key', 'text')
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('ready', 'integer', (column) => column.notNull())
    .addColumn('serial', 'integer', (column) => column.notNull())
    .addColumn('scheduled', 'integer', (column) => column.notNull())
    .addColumn('schedule_id', 'text')
    .addColumn('priority', 'integer', (column) => column.notNull())
    .addColumn('run_at', 'text', (column) => column.notNull())
    .addColumn('attempt', 'integer', (column) => column.notNull())
    .addColumn('run_count', 'integer', (column) => column.notNull())
    .addColumn('run_id', 'text')
    .addColumn('cancel_requested', 'integer', (column) => column.notNull())
    .addColumn('parked', 'integer', (column) => column.notNull())
    .addColumn('lease_owner', 'text')
    .addColumn('lease_until', 'text')
    .addColumn('updated_at', 'text', (column) => column.notNull())
    .addColumn('started_at', 'text')
    .addColumn('finished_at', 'text')
    .addColumn('task', 'text', (column) => column.notNull())
    .addColumn('result', 'text')
    .addColumn('failure', 'text')
}

/** Most hold few rows: what is ready, what waits for its time, what runs. A task that has completed is in four. */
function buildTaskIndexes({ schema }: Kysely<RuntimeTables>): readonly Compilable[] {
  const is = (column: string, value: number | string) => sql<boolean>`${sql.ref(column)} = ${sql.lit(value)}`
  const isOpenSchedule = sql<boolean>`${is('scheduled', 1)} and finished_at is null`
  return [
    schema
      .createIndex('tasks_key')
      .unique()
      .on('tasks')
      .column('idempotency_key')
      .where(sql.ref('idempotency_key'), 'is not', null),
    schema
      .createIndex('tasks_serial')
      .on('tasks')
      .columns(['serial_key', 'ready', 'seq'])
      .where(sql<boolean>`serial_key is not null and finished_at is null`),
    schema.createIndex('tasks_lane').on('tasks').columns(['lane', 'seq']),
    // What has completed is met soon wherever one looks, and what runs has an index of its own.
    schema
      .createIndex('tasks_status')
      .on('tasks')
      .columns(['status', 'seq'])
      .where(sql<boolean>`status in ('queued', 'failed')`),
    schema
      .createIndex('tasks_ready')
      .on('tasks')
      .columns(['lane', 'serial', 'priority desc', 'seq'])
      .where(is('ready', 1)),
    schema
      .createIndex('tasks_due')
      .on('tasks')
      .column('run_at')
      .where(sql<boolean>`${is('status', 'queued')} and ${is('ready', 0)}`),
    // There are about as many as all processes have workers: who looks for leases that are over looks at all of them.
    schema
      .createIndex('tasks_running')
      .on('tasks')
      .columns(['lane', 'parked', 'lease_until'])
      .where(is('status', 'running')),
    schema
      .createIndex('tasks_finished')
      .on('tasks')
      .column('finished_at')
      .where(sql.ref('finished_at'), 'is not', null),
    schema.createIndex('tasks_parked').on('tasks').column('seq').where(is('parked', 1)),
    schema
      .createIndex('tasks_schedule')
      .on('tasks')
      .columns(['schedule_id', 'seq'])
      .where(sql.ref('schedule_id'), 'is not', null),
    schema.createIndex('tasks_scheduled').on('tasks').columns(['lane', 'status']).where(isOpenSchedule),
  ]
}

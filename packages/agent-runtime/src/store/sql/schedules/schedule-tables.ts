import type { Compilable, Kysely } from 'kysely'
import type { RuntimeTables } from '../schema.ts'

/** How far schedules were carried out. */
export interface SchedulesTable {
  kind: 'agent' | 'graph' | 'schedule'
  id: string
  schedule: string
  through: string
  last_fire: string | null
}

/** Schedules of their own, which are not fields of an agent or a graph. */
export interface OwnSchedulesTable {
  id: string
  created_at: string
  /** Kind and id of what it runs. */
  subject: string
  /** JSON of the whole schedule. */
  schedule: string
}

/** The tables of schedules. */
export interface ScheduleTables {
  schedules: SchedulesTable
  own_schedules: OwnSchedulesTable
}

/** Makes the table of schedules. */
export function buildScheduleTables({ schema }: Kysely<RuntimeTables>): readonly Compilable[] {
  return [
    schema
      .createTable('schedules')
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('id', 'text', (column) => column.notNull())
      .addColumn('schedule', 'text', (column) => column.notNull())
      .addColumn('through', 'text', (column) => column.notNull())
      .addColumn('last_fire', 'text')
      .addPrimaryKeyConstraint('schedules_pk', ['kind', 'id']),
    schema
      .createTable('own_schedules')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('created_at', 'text', (column) => column.notNull())
      .addColumn('subject', 'text', (column) => column.notNull())
      .addColumn('schedule', 'text', (column) => column.notNull()),
    schema.createIndex('own_schedules_time').on('own_schedules').columns(['created_at', 'id']),
    schema.createIndex('own_schedules_subject').on('own_schedules').column('subject'),
  ]
}

import type { Compilable, Kysely } from 'kysely'
import type { RuntimeTables } from '../schema.ts'

/** How far the schedules of agents and graphs were carried out. */
export interface SchedulesTable {
  kind: 'agent' | 'graph'
  id: string
  schedule: string
  through: string
  last_fire: string | null
}

/** The tables of schedules. */
export interface ScheduleTables {
  schedules: SchedulesTable
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
  ]
}

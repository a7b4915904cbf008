import type { Compilable, Kysely } from 'kysely'
import type { RuntimeTables } from './schema.ts'

/** Graphs. */
interface GraphsTable {
  id: string
  created_at: string
  /** JSON of the whole graph. */
  graph: string
}

/** The tables of graphs. */
export interface GraphTables {
  graphs: GraphsTable
}

/** Makes the table of graphs. */
export function buildGraphTables({ schema }: Kysely<RuntimeTables>): readonly Compilable[] {
  return [
    schema
      .createTable('graphs')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('created_at', 'text', (column) => column.notNull())
      .addColumn('graph', 'text', (column) => column.notNull()),
    schema.createIndex('graphs_time').on('graphs').columns(['created_at', 'id']),
  ]
}

import type { Graph } from '@homeward/contract/agent-platform'
import type { Kysely } from 'kysely'
import type { GraphsTable } from './graph-tables.ts'
import { fromJson } from './json.ts'
import type { Plan } from './plan.ts'
import { all, first, tell } from './plan.ts'
import type { RuntimeTables } from './schema.ts'
import { compileStatement } from './statement.ts'

/** The verbs of `GraphStore` as plans. */
export function createGraphPlans(db: Kysely<RuntimeTables>) {
  const statements = createGraphStatements(db)
  return {
    *insertGraph(graph: Graph): Plan<boolean> {
      return yield* told(yield* first(statements.insert, toRow(graph)))
    },
    *replaceGraph(graph: Graph): Plan<boolean> {
      return yield* told(yield* first(statements.replace, toRow(graph)))
    },
    *deleteGraph(id: string): Plan<boolean> {
      return yield* told(yield* first(statements.delete, { id }))
    },
    *findGraph(id: string): Plan<Graph | undefined> {
      const row = yield* first(statements.find, { id })
      return row === undefined ? undefined : fromJson<Graph>(row.graph)
    },
    *listGraphs(): Plan<Graph[]> {
      return (yield* all(statements.list, {})).map(({ graph }) => fromJson<Graph>(graph))
    },
  }
}

/** Tells of a change, when there was one. */
function* told(row: object | undefined): Plan<boolean> {
  if (row !== undefined) yield* tell({ topic: 'definition' })
  return row !== undefined
}

function createGraphStatements(db: Kysely<RuntimeTables>) {
  return {
    insert: compileStatement<GraphsTable, { id: string }>('write', ({ id, created_at, graph }) =>
      db
        .insertInto('graphs')
        .values({ id, created_at, graph })
        .onConflict((conflict) => conflict.column('id').doNothing())
        .returning('id'),
    ),
    replace: compileStatement<GraphsTable, { id: string }>('write', ({ id, created_at, graph }) =>
      db.updateTable('graphs').set({ created_at, graph }).where('id', '=', id).returning('id'),
    ),
    delete: compileStatement<{ id: string }, { id: string }>('write', ({ id }) =>
      db.deleteFrom('graphs').where('id', '=', id).returning('id'),
    ),
    find: compileStatement<{ id: string }, { graph: string }>('read', ({ id }) =>
      db.selectFrom('graphs').select('graph').where('id', '=', id),
    ),
    list: compileStatement<object, { graph: string }>('read', () =>
      db.selectFrom('graphs').select('graph').orderBy('created_at').orderBy('id'),
    ),
  }
}

function toRow(graph: Graph): GraphsTable {
  return { id: graph.id, created_at: graph.created_at, graph: JSON.stringify(graph) }
}

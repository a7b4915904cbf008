import type { Graph } from '@homeward/contract/agent-platform'
import { fromJson } from '../sql/json.ts'
import type { Tables } from './tables.ts'
import { tell } from './tables.ts'

/** A graph as it is kept in memory. */
export interface GraphRecord {
  readonly id: string
  readonly createdAt: string
  /** JSON of the whole graph. */
  readonly json: string
}

/** {@link GraphStore.insertGraph}, in memory. */
export function insertGraph(tables: Tables, graph: Graph): boolean {
  if (tables.graphs.has(graph.id)) return false
  putGraph(tables, graph)
  return true
}

/** {@link GraphStore.replaceGraph}, in memory. */
export function replaceGraph(tables: Tables, graph: Graph): boolean {
  if (!tables.graphs.has(graph.id)) return false
  putGraph(tables, graph)
  return true
}

/** {@link GraphStore.deleteGraph}, in memory. */
export function deleteGraph(tables: Tables, id: string): boolean {
  const deleted = tables.graphs.delete(id)
  if (deleted) tell(tables, { topic: 'definition' })
  return deleted
}

/** {@link GraphStore.findGraph}, in memory. */
export function findGraph(tables: Tables, id: string): Graph | undefined {
  const row = tables.graphs.get(id)
  return row === undefined ? undefined : fromJson<Graph>(row.json)
}

/** {@link GraphStore.listGraphs}, in memory. */
export function listGraphs(tables: Tables): Graph[] {
  const rows = [...tables.graphs.values()].toSorted((a, b) =>
    a.createdAt === b.createdAt ? (a.id < b.id ? -1 : 1) : a.createdAt < b.createdAt ? -1 : 1,
  )
  return rows.map(({ json }) => fromJson<Graph>(json))
}

function putGraph(tables: Tables, graph: Graph): void {
  tables.graphs.set(graph.id, { id: graph.id, createdAt: graph.created_at, json: JSON.stringify(graph) })
  tell(tables, { topic: 'definition' })
}

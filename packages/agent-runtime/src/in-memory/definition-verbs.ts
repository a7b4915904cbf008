import { fromJson } from '../store/sql/json.ts'
import type { Tables } from './tables.ts'
import { tell } from './tables.ts'

/** What agents and graphs have in common: they are kept in the same way. */
interface Definition {
  readonly id: string
  readonly created_at: string
}

/** An agent or a graph as it is kept in memory. */
export interface DefinitionRecord<Kept> {
  readonly id: string
  readonly createdAt: string
  /** JSON of the whole definition. */
  readonly json: string
  /** Never set: carries the type of the definition. */
  readonly kept?: Kept
}

/** The records of one kind, by id. */
export type DefinitionRecords<Kept> = Map<string, DefinitionRecord<Kept>>

/** {@link AgentStore.insertAgent} and {@link GraphStore.insertGraph}, in memory. */
export function insert<Kept extends Definition>(
  tables: Tables,
  records: DefinitionRecords<Kept>,
  definition: Kept,
): boolean {
  if (records.has(definition.id)) return false
  put(tables, records, definition)
  return true
}

/** {@link AgentStore.replaceAgent} and {@link GraphStore.replaceGraph}, in memory. */
export function replace<Kept extends Definition>(
  tables: Tables,
  records: DefinitionRecords<Kept>,
  definition: Kept,
): boolean {
  if (!records.has(definition.id)) return false
  put(tables, records, definition)
  return true
}

/** {@link AgentStore.deleteAgent} and {@link GraphStore.deleteGraph}, in memory. */
export function remove(tables: Tables, records: DefinitionRecords<unknown>, id: string): boolean {
  const deleted = records.delete(id)
  if (deleted) tell(tables, { topic: 'definition' })
  return deleted
}

/** {@link AgentStore.findAgent} and {@link GraphStore.findGraph}, in memory. */
export function find<Kept>(records: DefinitionRecords<Kept>, id: string): Kept | undefined {
  const record = records.get(id)
  return record === undefined ? undefined : fromJson<Kept>(record.json)
}

/** {@link AgentStore.listAgents} and {@link GraphStore.listGraphs}, in memory. */
export function list<Kept>(records: DefinitionRecords<Kept>): Kept[] {
  const inOrder = [...records.values()].toSorted((a, b) =>
    a.createdAt === b.createdAt ? (a.id < b.id ? -1 : 1) : a.createdAt < b.createdAt ? -1 : 1,
  )
  return inOrder.map(({ json }) => fromJson<Kept>(json))
}

function put<Kept extends Definition>(
  tables: Tables,
  records: DefinitionRecords<Kept>,
  definition: Kept,
): void {
  const { id, created_at: createdAt } = definition
  records.set(id, { id, createdAt, json: JSON.stringify(definition) })
  tell(tables, { topic: 'definition' })
}

import type { Agent } from '@homeward/contract/agent-platform'
import type { Tables } from './tables.ts'
import { tell } from './tables.ts'
import { fromJson } from '../sql/json.ts'

/** {@link AgentStore.insertAgent}, in memory. */
export function insertAgent(tables: Tables, agent: Agent): boolean {
  if (tables.agents.has(agent.id)) return false
  putAgent(tables, agent)
  return true
}

/** {@link AgentStore.replaceAgent}, in memory. */
export function replaceAgent(tables: Tables, agent: Agent): boolean {
  if (!tables.agents.has(agent.id)) return false
  putAgent(tables, agent)
  return true
}

/** {@link AgentStore.deleteAgent}, in memory. */
export function deleteAgent(tables: Tables, id: string): boolean {
  const deleted = tables.agents.delete(id)
  if (deleted) tell(tables, { topic: 'definition' })
  return deleted
}

/** {@link AgentStore.findAgent}, in memory. */
export function findAgent(tables: Tables, id: string): Agent | undefined {
  const row = tables.agents.get(id)
  return row === undefined ? undefined : fromJson<Agent>(row.json)
}

/** {@link AgentStore.listAgents}, in memory. */
export function listAgents(tables: Tables): Agent[] {
  const rows = [...tables.agents.values()].toSorted((a, b) =>
    a.createdAt === b.createdAt ? (a.id < b.id ? -1 : 1) : a.createdAt < b.createdAt ? -1 : 1,
  )
  return rows.map(({ json }) => fromJson<Agent>(json))
}

function putAgent(tables: Tables, agent: Agent): void {
  tables.agents.set(agent.id, { id: agent.id, createdAt: agent.created_at, json: JSON.stringify(agent) })
  tell(tables, { topic: 'definition' })
}

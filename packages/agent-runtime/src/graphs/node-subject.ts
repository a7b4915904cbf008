import type { GraphNode, NodeResult } from '@homeward/contract/agent-platform'

/** What a node runs, as events and results name it. */
type NodeSubject = Pick<NodeResult, 'agent_id' | 'function' | 'graph_id'>

/** @returns exactly one name: a node was checked before it was stored. */
export function subjectOf({ agent, function: name, graph }: GraphNode): NodeSubject {
  if (name !== undefined) return { function: name }
  return graph === undefined ? { ...(agent !== undefined && { agent_id: agent }) } : { graph_id: graph }
}

/** Id of an item of a node with `map`. */
export const itemIdOf = (nodeId: string, index: number) => `${nodeId}.${index}`

/** Whether an id is that of an item of the node. */
export const isItemOf = (nodeId: string, id: string) =>
  id.startsWith(`${nodeId}.`) && /^\d+$/.test(id.slice(nodeId.length + 1))

/** The id of the node that an id is of: an item has that of its node. */
export const nodeIdOf = (nodes: readonly GraphNode[], id: string) =>
  nodes.find((node) => node.map && isItemOf(node.id, id))?.id ?? id

/** Longest id of a node with `map`: its items have longer ones. */
export const maxMapIdLength = 58

/** Most items of a list. */
export const maxItems = 1000

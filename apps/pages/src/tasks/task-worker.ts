import type { Agent, Graph } from '@homeward/contract/agent-platform'
import type { SelectOption } from '../components/fields/select-field.tsx'

/** Who does a task: an agent or a graph. */
export interface Worker {
  readonly agentId?: string | undefined
  readonly graphId?: string | undefined
}

type Named = Pick<Agent | Graph, 'id' | 'name'>

/** Agents and graphs as choices of one field, and the value of the one that is chosen. */
export function workerOptions(
  agents: readonly Named[],
  graphs: readonly Named[],
  { agentId, graphId }: Worker,
): { readonly options: readonly SelectOption[]; readonly value: string | undefined } {
  const value =
    agentId !== undefined ? `agent:${agentId}` : graphId !== undefined ? `graph:${graphId}` : undefined
  const options = [
    ...agents.map(({ id, name }) => ({ value: `agent:${id}`, label: labelOf('Agent', id, name) })),
    ...graphs.map(({ id, name }) => ({ value: `graph:${id}`, label: labelOf('Graph', id, name) })),
  ]
  // One that was deleted may still be meant.
  const isKnown = value === undefined || options.some((option) => option.value === value)
  return { options: isKnown ? options : [...options, { value, label: agentId ?? graphId ?? '' }], value }
}

const labelOf = (kind: string, id: string, name: string | undefined) =>
  name === undefined || name === id ? `${kind} ${id}` : `${kind} ${name} (${id})`

/** The agent or the graph that a choice stands for. */
export function workerOf(value: string): Worker {
  if (value.startsWith('agent:')) return { agentId: value.slice('agent:'.length) }
  return value.startsWith('graph:') ? { graphId: value.slice('graph:'.length) } : {}
}

import { useMemo } from 'react'
import { usePlatformQuery } from '../../api/platform.ts'

/**
 * What an agent is called; its id where it has no name, or is gone.
 *
 * @param isRead whether the page reads the agents already: then the rows of a long list do not read them again.
 */
export function useAgentName(id: string | undefined, isRead = false): string | undefined {
  const agents = usePlatformQuery('listAgents', {}, { enabled: !isRead && id !== undefined }).data?.agents
  return agents?.find((agent) => agent.id === id)?.name ?? id
}

/** What agents are called, by their ids: for what is not shown as an element of its own. */
export function useAgentNames(): (id: string) => string {
  const agents = usePlatformQuery('listAgents').data?.agents
  const names = useMemo(() => new Map(agents?.map(({ id, name }) => [id, name ?? id])), [agents])
  return (id) => names.get(id) ?? id
}

/** The name of an agent, in a list whose page reads the agents. */
export function AgentName({ id }: { readonly id: string | undefined }) {
  return useAgentName(id, true)
}

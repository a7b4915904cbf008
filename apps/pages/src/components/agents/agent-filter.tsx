import { usePlatformQuery } from '../../api/platform.ts'
import { ErrorState } from '../states/error-state.tsx'
import { SelectField } from '../fields/select-field.tsx'
import { useMemo } from 'react'

interface AgentFieldProps {
  readonly value: string | undefined
}

/** Narrows a list to one agent. */
export function AgentFilter({
  value,
  onChange,
}: AgentFieldProps & { readonly onChange: (agentId: string | undefined) => void }) {
  const options = [{ value: all, label: 'All agents' }, ...useAgentOptions(value)]
  return (
    <SelectField
      label="Agent"
      options={options}
      value={value ?? all}
      onChange={(chosen) => onChange(chosen === all ? undefined : chosen)}
    />
  )
}

/** No agent has this id: they begin with a letter or a digit. */
const all = '*'

/** Chooses an agent. */
export function AgentChoice({
  value,
  onChange,
}: AgentFieldProps & { readonly onChange: (agentId: string) => void }) {
  const { error, refetch } = usePlatformQuery('listAgents')
  const options = useAgentOptions(value)
  return (
    <>
      <SelectField label="Agent" isRequired options={options} value={value ?? null} onChange={onChange} />
      {error && <ErrorState error={error} onRetry={() => void refetch()} isInline />}
    </>
  )
}

/** Every agent, and one that is chosen and gone, as choices. */
export function useAgentOptions(value: string | undefined) {
  const agents = usePlatformQuery('listAgents').data?.agents ?? []
  const options = agents.map(({ id, name }) => ({ value: id, label: name ?? id }))
  const isGone = value !== undefined && !agents.some(({ id }) => id === value)
  return isGone ? [...options, { value, label: value }] : options
}

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

import { usePlatformQuery } from '../../api/platform.ts'
import { FilterBar } from '../../components/table/filter-bar.tsx'
import { SelectField } from '../../components/fields/select-field.tsx'
import { SwitchField } from '../../components/fields/switch-field.tsx'
import { TextField } from '../../components/fields/text-field.tsx'
import { type LogFilter, typeOptions } from './log-filter.ts'

/** What a {@link LogFilterForm} takes. */
export interface LogFilterFormProps {
  readonly filter: LogFilter
  readonly onChange: (filter: LogFilter) => void
}

const all = { value: 'all', label: 'All agents' }
const longestId = 200

/** Which events are shown. */
export function LogFilterForm({ filter, onChange }: LogFilterFormProps) {
  const agents = usePlatformQuery('listAgents')
  const ids = agents.data?.agents.map(({ id }) => id) ?? []
  const known = filter.agentId === '' || ids.includes(filter.agentId) ? ids : [filter.agentId, ...ids]
  const set = (change: Partial<LogFilter>) => onChange({ ...filter, ...change })
  return (
    <FilterBar>
      <SelectField
        label="Kind"
        options={typeOptions}
        value={filter.type === '' ? 'all' : filter.type}
        onChange={(type) => set({ type: type === 'all' ? '' : type })}
      />
      <SelectField
        label="Agent"
        options={[all, ...known.map((id) => ({ value: id, label: id }))]}
        value={filter.agentId === '' ? 'all' : filter.agentId}
        onChange={(id) => set({ agentId: id === 'all' ? '' : id })}
      />
      <TextField
        label="Run"
        value={filter.runId}
        onChange={(runId) => set({ runId: runId.trim() })}
        placeholder="Id of a run"
        maxLength={longestId}
      />
      <SwitchField
        label="Problems only"
        isSelected={filter.onlyProblems}
        onChange={(onlyProblems) => set({ onlyProblems })}
      />
    </FilterBar>
  )
}

import { RunSource, RunStatus } from '@homeward/contract/agent-platform'
import { useMemo } from 'react'
import { usePlatformQuery } from '../api/platform.ts'
import { useIsLimited } from '../api/server-facts.ts'
import { Button } from '../components/buttons/button.tsx'
import { SearchField } from '../components/fields/search-field.tsx'
import { SelectField } from '../components/fields/select-field.tsx'
import { TextField } from '../components/fields/text-field.tsx'
import { Notice } from '../components/states/notice.tsx'
import { FilterBar } from '../components/table/filter-bar.tsx'
import { useDebounced } from '../components/use-debounced.ts'
import { formatCount } from '../components/text/to-shown-text.ts'
import { UserFilter } from '../components/agents/user-filter.tsx'
import { AgentFilter } from '../components/agents/agent-filter.tsx'
import {
  type ActivityFilter,
  rangeOf,
  sortOf,
  sortOptions,
  timeRanges,
  type TimeRange,
  toRunQuery,
} from './activity-filter.ts'
import { sourceNames } from './run-texts.ts'

/** What {@link ActivityFilters} take. */
interface ActivityFiltersProps {
  readonly filter: ActivityFilter
  readonly onChange: (changed: Partial<ActivityFilter>) => void
}

const any = '*'

/** How many fields beside the words narrow the list. */
const activeOf = (filter: ActivityFilter) =>
  [
    rangeOf(filter) !== 'any',
    filter.agent_id,
    filter.user_id,
    filter.graph_id,
    filter.status,
    filter.source,
  ].filter(Boolean).length

/** Narrows the list of runs, and sorts it. */
export function ActivityFilters({ filter, onChange }: ActivityFiltersProps) {
  const range = rangeOf(filter)
  return (
    <>
      <FilterBar isMainFirst active={activeOf(filter)}>
        <SearchField
          label="Words"
          placeholder="Task or output"
          maxLength={500}
          value={filter.q}
          onChange={(q) => onChange({ q })}
        />
        <SelectField<TimeRange>
          label="Time"
          options={timeRanges}
          value={range}
          onChange={(chosen) => onChange({ range: chosen === 'any' ? '' : chosen, from: '', to: '' })}
        />
        {range === 'custom' && (
          <>
            <TimeField label="From" value={filter.from} onChange={(from) => onChange({ from })} />
            <TimeField label="To" value={filter.to} onChange={(to) => onChange({ to })} />
          </>
        )}
        <AgentFilter
          value={filter.agent_id || undefined}
          onChange={(agent_id = '') => onChange({ agent_id })}
        />
        <UserFilter value={filter.user_id} onChange={(user_id) => onChange({ user_id })} />
        <GraphFilter value={filter.graph_id} onChange={(graph_id) => onChange({ graph_id })} />
        <SelectField
          label="Status"
          options={statuses}
          value={filter.status || any}
          onChange={(status) => onChange({ status: status === any ? '' : status })}
        />
        <SourceFilter filter={filter} onChange={(source) => onChange({ source })} />
        <div className="activity-sort">
          <SelectField
            label="Sort"
            options={sortOptions}
            value={sortOf(filter)}
            onChange={(sort) => onChange({ sort })}
          />
        </div>
      </FilterBar>
      {unseenFilters
        .filter(({ name }) => filter[name] !== '')
        .map(({ name, text }) => (
          <Notice
            key={name}
            actions={<Button onPress={() => onChange({ [name]: '' })}>Show all runs</Button>}
          >
            {text}
          </Notice>
        ))}
    </>
  )
}

/** Filters that a link may bring along, and that have no field. */
const unseenFilters = [
  { name: 'conversation_id', text: 'Only the runs of one conversation are listed.' },
  { name: 'parent_run_id', text: 'Only the runs that another run started are listed.' },
  { name: 'min_cost', text: 'Only runs above a minimum cost are listed.' },
  { name: 'feedback', text: 'Only runs whose answer people rated like this are listed.' },
] as const

const statuses = [
  { value: any, label: 'Any status' },
  ...RunStatus.options.map((status) => ({ value: status as string, label: status })),
]

interface TimeFieldProps {
  readonly label: string
  /** ISO 8601, or empty. */
  readonly value: string
  readonly onChange: (value: string) => void
}

function TimeField({ label, value, onChange }: TimeFieldProps) {
  return (
    <TextField
      label={label}
      type="datetime-local"
      defaultValue={toLocalTime(value)}
      onChange={(written) => {
        const ms = Date.parse(written)
        onChange(Number.isNaN(ms) ? '' : new Date(ms).toISOString())
      }}
    />
  )
}

interface SourceFilterProps {
  readonly filter: ActivityFilter
  readonly onChange: (source: string) => void
}

/** How runs were started, each with how many runs match the other filters. */
function SourceFilter({ filter, onChange }: SourceFilterProps) {
  const settled = useDebounced(filter)
  const query = useMemo(() => {
    const { source: _, sort: _sort, ...others } = toRunQuery(settled, Date.now())
    return { ...others, count: 'source', limit: '1' } as const
  }, [settled])
  const counts = usePlatformQuery('listRuns', { query }, { keepPrevious: true }).data?.counts?.source
  const options = RunSource.options
    .filter((source) => counts === undefined || counts[source] !== undefined || source === filter.source)
    .map((source) => {
      const name = sourceNames[source]
      return {
        value: source,
        label: counts ? `${name} (${formatCount(counts[source] ?? 0)})` : name,
      }
    })
  return (
    <SelectField
      label="Source"
      options={[{ value: any, label: 'Any source' }, ...options]}
      value={filter.source || any}
      onChange={(source) => onChange(source === any ? '' : source)}
    />
  )
}

function GraphFilter(props: { readonly value: string; readonly onChange: (graphId: string) => void }) {
  const isLimited = useIsLimited() // graphs are for administrators
  const graphs = usePlatformQuery('listGraphs', {}, { enabled: !isLimited }).data?.graphs ?? []
  if (graphs.length === 0 && props.value === '') return null
  const ids = [...new Set([...graphs.map(({ id }) => id), ...(props.value === '' ? [] : [props.value])])]
  return (
    <SelectField
      label="Graph"
      options={[{ value: any, label: 'All graphs' }, ...ids.map((id) => ({ value: id, label: id }))]}
      value={props.value || any}
      onChange={(id) => props.onChange(id === any ? '' : id)}
    />
  )
}

/** A time as a field for date and time takes it, in the time zone of the reader; empty for what is no time. */
function toLocalTime(iso: string): string {
  const time = new Date(iso)
  if (Number.isNaN(time.getTime())) return ''
  const two = (value: number) => String(value).padStart(2, '0')
  const day = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`
  return `${day}T${two(time.getHours())}:${two(time.getMinutes())}`
}

import type { SearchGroup, SearchQuery } from '@homeward/contract/device-cloud'
import { useMemo } from 'react'
import type { PagesResult } from '../api/create-api-hooks.ts'
import { SearchField } from '../components/fields/search-field.tsx'
import { SelectField } from '../components/fields/select-field.tsx'
import { Card } from '../components/layout/card.tsx'
import { EmptyState } from '../components/states/empty-state.tsx'
import { ErrorState } from '../components/states/error-state.tsx'
import { Disclosure } from '../components/layout/disclosure.tsx'
import { FilterBar } from '../components/table/filter-bar.tsx'
import { useAddressFilter } from '../components/use-address-filter.ts'
import { describeTried, OtherWays } from './other-ways.tsx'
import {
  countRows,
  pickResults,
  type ResultFilter,
  type ResultRow,
  toResultRows,
  usualOrder,
} from './result-rows.ts'
import { ResultTable } from './result-table.tsx'
import { describeSkipped, describeUnread } from './describe-outcome.ts'

const orders = [
  { value: 'best', label: 'Best match first' },
  { value: 'newest', label: 'Newest first' },
  { value: 'oldest', label: 'Oldest first' },
  { value: 'largest', label: 'Largest first' },
  { value: 'smallest', label: 'Smallest first' },
  { value: 'name', label: 'By name' },
  { value: 'path', label: 'By path' },
  { value: 'device', label: 'By device' },
]
const kindNames: Readonly<Record<string, string>> = { files: 'Files', apps: 'Apps', system: 'System' }
const noSearches: readonly SearchQuery[] = []

interface GroupResultsProps {
  readonly group: SearchGroup
  readonly completed: PagesResult<SearchQuery>
  /** They may have results of the scopes that worked. */
  readonly failed: PagesResult<SearchQuery>
  /** They may have results from the lists that their devices left. */
  readonly pending: PagesResult<SearchQuery>
}

/** Everything that the devices of a search found, in one list with filters. */
export function GroupResults({ group, completed, failed, pending }: GroupResultsProps) {
  const noFilter = useMemo<Record<keyof ResultFilter, string>>(
    () => ({ text: '', on: 'all', kind: 'all', sort: usualOrder(group.sort) }),
    [group.sort],
  )
  const [filter, change] = useAddressFilter(noFilter)
  const searches = useMemo(() => {
    const ended = [...(completed.data ?? noSearches), ...(failed.data ?? noSearches)]
    const ids = new Set(ended.map(({ id }) => id))
    return [...ended, ...(pending.data ?? noSearches).filter(({ id }) => !ids.has(id))]
  }, [completed.data, failed.data, pending.data])
  const rows = useMemo(() => toResultRows(searches), [searches])
  const picked = useMemo(() => pickResults(rows, filter, group.query), [rows, filter, group.query])
  const more = completed.loadMore ?? failed.loadMore
  const error = completed.error ?? failed.error
  return (
    <Card title={titleOf(picked.length, rows.length, more !== undefined)}>
      {error && <ErrorState error={error} isInline />}
      <Incomplete searches={searches} />
      {rows.length > 0 && <ResultFilters rows={rows} filter={filter} onChange={change} />}
      <ResultTable
        rows={picked}
        kind={filter.kind}
        sort={filter.sort}
        onSort={(sort) => change({ sort })}
        onLoadMore={more}
        isLoadingMore={completed.isFetchingNextPage || failed.isFetchingNextPage}
        empty={<NoResults group={group} hasAny={rows.length > 0} />}
      />
    </Card>
  )
}

function titleOf(shown: number, all: number, hasMore: boolean): string {
  const total = `${all.toLocaleString()}${hasMore ? '+' : ''} ${all === 1 ? 'result' : 'results'}`
  return shown === all ? total : `${shown.toLocaleString()} of ${total}`
}

function NoResults({ group, hasAny }: { readonly group: SearchGroup; readonly hasAny: boolean }) {
  if (hasAny) return <EmptyState title="No results match">Change the words or the filters above.</EmptyState>
  if (group.total === 0) {
    return (
      <EmptyState title="No device was searched">
        No device matched the filter. Change it in a new search.
      </EmptyState>
    )
  }
  const { pending, completed } = group.counts
  if (pending > 0 && completed === 0) {
    return (
      <EmptyState title="Waiting for devices">
        Results appear here as soon as a device answers. Offline devices get the search when they reconnect.
      </EmptyState>
    )
  }
  return (
    <EmptyState
      title={pending > 0 ? 'Nothing found yet' : 'Nothing found'}
      action={<OtherWays group={group} />}
    >
      {describeTried(group)}
    </EmptyState>
  )
}

interface ResultFiltersProps {
  readonly rows: readonly ResultRow[]
  readonly filter: ResultFilter
  readonly onChange: (changed: Partial<ResultFilter>) => void
}

function ResultFilters({ rows, filter, onChange }: ResultFiltersProps) {
  const devices = useMemo(() => countRows(rows, ({ device }) => [device.id, device.name]), [rows])
  const kinds = useMemo(() => countRows(rows, ({ scope }) => [scope, kindNames[scope] ?? scope]), [rows])
  return (
    <FilterBar isMainFirst>
      <SearchField
        label="Filter results"
        isLabelHidden
        placeholder="Filter results"
        value={filter.text}
        onChange={(text) => onChange({ text })}
      />
      <SelectField
        label="Device"
        isLabelHidden
        options={toOptions('All devices', devices, filter.on)}
        value={filter.on}
        onChange={(on) => onChange({ on })}
      />
      {kinds.length > 1 && (
        <SelectField
          label="Kind"
          isLabelHidden
          options={toOptions('All kinds', kinds, filter.kind)}
          value={filter.kind}
          onChange={(kind) => onChange({ kind })}
        />
      )}
      <SelectField
        label="Order"
        isLabelHidden
        options={orders}
        value={filter.sort}
        onChange={(sort) => onChange({ sort })}
      />
    </FilterBar>
  )
}

/** Choices with their counts; one that the address names stays although nothing has it yet. */
function toOptions(any: string, found: ReturnType<typeof countRows>, chosen: string) {
  const known = chosen === 'all' || found.some(({ value }) => value === chosen)
  return [
    { value: 'all', label: any },
    ...found.map(({ value, label, count }) => ({ value, label: `${label} (${count.toLocaleString()})` })),
    ...(known ? [] : [{ value: chosen, label: chosen }]),
  ]
}

/** Says when results are not all that there was. */
function Incomplete({ searches }: { readonly searches: readonly SearchQuery[] }) {
  const cut = searches.filter(({ results }) => Object.values(results?.truncated ?? {}).includes(true))
  const blind = searches.filter(({ results }) => results?.unread?.some(({ reason }) => reason !== 'not_text'))
  const skipping = searches.filter(({ results }) => (results?.skipped ?? []).length > 0)
  const gone = searches.filter(({ resultsGone }) => resultsGone === true)
  const devicesOf = (some: readonly SearchQuery[]) => {
    const names = some.slice(0, 3).map(({ device }) => device.name)
    return [names.join(', '), ...(some.length > 3 ? [`${some.length - 3} more`] : [])].join(' and ')
  }
  const some = new Set([...cut, ...blind, ...skipping, ...gone])
  if (some.size === 0) return null
  return (
    <Disclosure title={`Not complete: ${devicesOf([...some])}`}>
      <ul className="stack muted small" data-gap="small">
        {cut.length > 0 && (
          <li>
            Stopped at a limit of time or size: {devicesOf(cut)}. There may be more than the results show.
          </li>
        )}
        {blind.length > 0 && (
          <li>
            Could not search everything: {devicesOf(blind)}.{' '}
            <span className="foreign">
              {describeUnread(blind.flatMap(({ results }) => results?.unread ?? []))}
            </span>
          </li>
        )}
        {skipping.length > 0 && (
          <li>
            {devicesOf(skipping)}:{' '}
            {describeSkipped(skipping.flatMap(({ results }) => results?.skipped ?? []))}
          </li>
        )}
        {gone.length > 0 && <li>Old results were removed to save space, of: {devicesOf(gone)}.</li>}
      </ul>
    </Disclosure>
  )
}

import { Plus } from 'lucide-react'
import { LinkButton } from '../components/buttons/link-button.tsx'
import { SearchField } from '../components/fields/search-field.tsx'
import { SelectField } from '../components/fields/select-field.tsx'
import { PageHeader } from '../components/layout/page-header.tsx'
import { FilterBar } from '../components/table/filter-bar.tsx'
import { useDebounced } from '../components/use-debounced.ts'
import { useAddressFilter } from '../components/use-address-filter.ts'
import { GroupList } from './group-list.tsx'

const times = [
  { value: 'all', label: 'Any time' },
  { value: 'hour', label: 'Last hour' },
  { value: 'day', label: 'Last 24 hours' },
  { value: 'week', label: 'Last 7 days' },
  { value: 'month', label: 'Last 30 days' },
]
const states = [
  { value: 'all', label: 'Any state' },
  { value: 'waiting', label: 'Waiting for devices' },
  { value: 'settled', label: 'Finished' },
]
const noFilter: Record<'text' | 'time' | 'state', string> = { text: '', time: 'all', state: 'all' }

/** All searches, with their filters in the address. */
export function SearchesPage() {
  const [filter, change] = useAddressFilter(noFilter)
  const settled = useDebounced(filter)
  return (
    <>
      <PageHeader
        title="Searches"
        actions={
          <>
            <LinkButton href="/searches/saved">Saved searches</LinkButton>
            <LinkButton href="/searches/new" variant="primary" icon={<Plus aria-hidden />}>
              New search
            </LinkButton>
          </>
        }
      />
      <FilterBar isMainFirst>
        <SearchField
          label="Find searches"
          isLabelHidden
          placeholder="Find searches"
          value={filter.text}
          onChange={(text) => change({ text })}
        />
        <SelectField
          label="Time"
          isLabelHidden
          options={times}
          value={filter.time}
          onChange={(time) => change({ time })}
        />
        <SelectField
          label="State"
          isLabelHidden
          options={states}
          value={filter.state}
          onChange={(state) => change({ state })}
        />
      </FilterBar>
      <GroupList filter={settled} />
    </>
  )
}

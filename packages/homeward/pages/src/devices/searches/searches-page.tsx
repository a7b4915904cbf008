import type { SearchQuery } from '@homeward/contract/device-cloud'
import { Plus } from 'lucide-react'
import { useMemo } from 'react'
import { FilterBar } from '../../components/table/filter-bar.tsx'
import { LinkButton } from '../../components/buttons/link-button.tsx'
import { PageHeader } from '../../components/layout/page-header.tsx'
import { SelectField } from '../../components/fields/select-field.tsx'
import { TextField } from '../../components/fields/text-field.tsx'
import { useAddressFilter } from '../../components/use-address-filter.ts'
import { DeviceField } from '../devices/device-field.tsx'
import { SearchList } from './search-list.tsx'
import type { SearchFilter } from './use-searches.ts'

const statuses = [
  { value: 'all', label: 'Any status' },
  { value: 'pending', label: 'Pending' },
  { value: 'completed', label: 'Completed' },
  { value: 'failed', label: 'Failed' },
]

const noFilter = { id: '', device: '', status: 'all' }

/** All searches, with their filters in the address. */
export function SearchesPage() {
  const [{ id, device, status }, change] = useAddressFilter(noFilter)
  const filter = useMemo(
    (): SearchFilter => ({
      ...(id && { queryId: id }),
      ...(device && { deviceId: device }),
      ...(status !== noFilter.status && { status: status as SearchQuery['status'] }), // another one the server refuses
    }),
    [id, device, status],
  )
  return (
    <>
      <PageHeader
        title="Searches"
        actions={
          <LinkButton href="/searches/new" variant="primary" icon={<Plus aria-hidden />}>
            New search
          </LinkButton>
        }
      />
      <FilterBar isMainFirst>
        <DeviceField deviceId={device} onChange={(chosen) => change({ device: chosen })} />
        <SelectField
          label="Status"
          isLabelHidden
          options={statuses}
          value={status}
          onChange={(chosen) => change({ status: chosen })}
        />
        <TextField
          label="Id of a search"
          isLabelHidden
          placeholder="Id of a search"
          value={id}
          onChange={(written) => change({ id: written.trim() })}
        />
      </FilterBar>
      <SearchList filter={filter} />
    </>
  )
}

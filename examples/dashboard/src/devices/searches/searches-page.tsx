import type { SearchQuery } from '@homeward/contract/device-cloud'
import { Plus } from 'lucide-react'
import { useMemo } from 'react'
import { FilterBar } from '../../components/table/filter-bar.tsx'
import { LinkButton } from '../../components/buttons/link-button.tsx'
import { PageHeader } from '../../components/layout/page-header.tsx'
import { SelectField } from '../../components/fields/select-field.tsx'
import { TextField } from '../../components/fields/text-field.tsx'
import { DeviceField } from '../devices/device-field.tsx'
import { useAddressFilter } from '../use-address-filter.ts'
import { SearchList } from './search-list.tsx'
import type { SearchFilter } from './use-searches.ts'

const statuses = [
  { value: 'all', label: 'Any status' },
  { value: 'pending', label: 'Pending' },
  { value: 'completed', label: 'Completed' },
  { value: 'failed', label: 'Failed' },
]

/** All searches, with their filters in the address. */
export function SearchesPage() {
  const { id, device, status, set } = useAddressFilter()
  const filter = useMemo(
    (): SearchFilter => ({
      ...(id && { queryId: id }),
      ...(device && { deviceId: device }),
      ...(status && { status: status as SearchQuery['status'] }), // another one the server refuses
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
        <DeviceField deviceId={device} onChange={(value) => set('device', value)} />
        <SelectField
          label="Status"
          isLabelHidden
          options={statuses}
          value={status || 'all'}
          onChange={(value) => set('status', value)}
        />
        <TextField
          label="Id of a search"
          isLabelHidden
          placeholder="Id of a search"
          value={id}
          onChange={(value) => set('id', value.trim())}
        />
      </FilterBar>
      <SearchList filter={filter} />
    </>
  )
}

import type { Upload } from '@homeward/contract/device-cloud'
import { FileDown } from 'lucide-react'
import { useMemo } from 'react'
import { Button } from '../components/buttons/button.tsx'
import { FilterBar } from '../components/table/filter-bar.tsx'
import { PageHeader } from '../components/layout/page-header.tsx'
import { SelectField } from '../components/fields/select-field.tsx'
import { SearchField } from '../components/fields/search-field.tsx'
import { useAddressFilter } from '../components/use-address-filter.ts'
import { useDebounced } from '../components/use-debounced.ts'
import { DeviceField } from '../devices/device-filters.tsx'
import { AskForFileDialog } from './ask-for-file-dialog.tsx'
import { UploadList } from './upload-list.tsx'
import type { UploadFilter } from './use-uploads.ts'

const statuses = [
  { value: 'all', label: 'Any status' },
  { value: 'pending', label: 'Pending' },
  { value: 'uploading', label: 'Uploading' },
  { value: 'completed', label: 'Completed' },
  { value: 'failed', label: 'Failed' },
  { value: 'canceled', label: 'Canceled' },
]

const noFilter = { q: '', id: '', device: '', status: 'all' }
const isId = (text: string) => /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text)

/** All files that devices were asked for, with their filters in the address. */
export function UploadsPage() {
  const [{ q, id, device, status }, change] = useAddressFilter(noFilter)
  const written = useDebounced(q.trim())
  const filter = useMemo(
    (): UploadFilter => ({
      ...(id && { requestId: id }),
      ...(written && (isId(written) ? { requestId: written } : { query: written })),
      ...(device && { deviceId: device }),
      ...(status !== noFilter.status && { status: status as Upload['status'] }), // another one the server refuses
    }),
    [id, written, device, status],
  )
  return (
    <>
      <PageHeader
        title="Files"
        description="Files that you requested from devices."
        actions={
          <AskForFileDialog
            trigger={
              <Button variant="primary" icon={<FileDown aria-hidden />}>
                Request a file
              </Button>
            }
          />
        }
      />
      <FilterBar isMainFirst>
        <SearchField
          label="Name or path"
          isLabelHidden
          placeholder="Name or path"
          value={q}
          onChange={(text) => change({ q: text, id: '' })}
          maxLength={500}
        />
        <DeviceField deviceId={device} onChange={(chosen) => change({ device: chosen })} />
        <SelectField
          label="Status"
          isLabelHidden
          options={statuses}
          value={status}
          onChange={(chosen) => change({ status: chosen })}
        />
      </FilterBar>
      <UploadList filter={filter} />
    </>
  )
}

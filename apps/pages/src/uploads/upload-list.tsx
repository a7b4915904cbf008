import { describeError } from '../components/text/describe-error.ts'
import type { Upload } from '@homeward/contract/device-cloud'
import { useState } from 'react'
import { ByteSize } from '../components/text/byte-size.tsx'
import type { DataColumn } from '../components/table/data-table.tsx'
import { EmptyState } from '../components/states/empty-state.tsx'
import { RelativeTime } from '../components/text/relative-time.tsx'
import { StatusBadge } from '../components/states/status-badge.tsx'
import { CancelUpload } from './upload-progress.tsx'
import { DownloadLink } from './download-link.tsx'
import { UploadPanel } from './upload-panel.tsx'
import { MiddleCut } from '../components/text/middle-cut.tsx'
import { UploadProgress } from './upload-progress.tsx'
import { isOpen, type UploadFilter, useUploads } from './use-uploads.ts'
import { RowList } from '../components/table/list-page.tsx'

/** A path of any platform as its last part and what stands before it. */
function partsOf(filePath: string): { readonly name: string; readonly folder: string } {
  const at = Math.max(filePath.lastIndexOf('/'), filePath.lastIndexOf('\\'))
  const name = filePath.slice(at + 1)
  return name === '' ? { name: filePath, folder: '' } : { name, folder: filePath.slice(0, Math.max(at, 1)) }
}

const columns: readonly DataColumn<Upload>[] = [
  {
    id: 'file',
    header: 'File',
    cell: ({ filePath }) => (
      <span title={filePath}>
        <MiddleCut text={partsOf(filePath).name} />
      </span>
    ),
    width: '3fr',
    minWidth: 160,
  },
  {
    id: 'folder',
    header: 'Folder',
    cell: ({ filePath }) => (
      <span className="muted" title={filePath}>
        <MiddleCut text={partsOf(filePath).folder} keep={20} isPath />
      </span>
    ),
    isHiddenInCards: true,
    width: '2fr',
    minWidth: 120,
  },
  { id: 'device', header: 'Device', cell: ({ device }) => device.name, width: '1fr', minWidth: 110 },
  {
    id: 'status',
    header: 'Status',
    cell: (upload) =>
      isOpen(upload) ? <UploadProgress upload={upload} /> : <StatusBadge status={upload.status} />,
    // a stored file has its link in the corner
    cardCell: (upload) => (isOpen(upload) ? <UploadProgress upload={upload} /> : undefined),
    width: 160,
  },
  {
    id: 'size',
    header: 'Size',
    cell: ({ size }) => (size === undefined ? '–' : <ByteSize value={size} />),
    cardCell: ({ size }) => (size === undefined ? undefined : <ByteSize value={size} />),
    width: 100,
    align: 'end',
  },
  { id: 'asked', header: 'Asked', cell: ({ createdAt }) => <RelativeTime value={createdAt} />, width: 130 },
  {
    id: 'action',
    header: 'Outcome',
    cell: (upload) => {
      if (upload.status === 'completed') return <DownloadLink upload={upload} />
      if (isOpen(upload)) return <CancelUpload upload={upload} />
      return <span className="muted">{upload.status === 'failed' ? describeError(upload.error) : '–'}</span>
    },
    width: '1fr',
    minWidth: 150,
    isCardCorner: true,
  },
]
/** Beside a panel, which says the rest. */
const narrowColumns = columns.filter(({ id }) => ['file', 'device', 'asked'].includes(id))
const textOf = ({ filePath }: Upload) => filePath

/** Upload requests that fit a filter, newest first; a press on one shows all of it. */
export function UploadList({ filter }: { readonly filter: UploadFilter }) {
  const uploads = useUploads(filter)
  const [openId, setOpenId] = useState<string>()
  const open = uploads.data?.find(({ id }) => id === openId)
  const isFiltered = Object.keys(filter).length > 0
  return (
    <>
      <RowList
        label="Files"
        query={uploads}
        columns={openId === undefined ? columns : narrowColumns}
        cards="compact"
        rowText={textOf}
        onRowAction={setOpenId}
        currentId={openId}
        empty={
          <EmptyState title={isFiltered ? 'No files match' : 'No files requested yet'}>
            Request a file by its path, or from the results of a search.
          </EmptyState>
        }
      />
      {openId !== undefined && (
        <UploadPanel
          id={openId}
          title={open?.fileName ?? open?.filePath.split(/[/\\]/).at(-1) ?? 'File'}
          onClose={() => setOpenId(undefined)}
        />
      )}
    </>
  )
}

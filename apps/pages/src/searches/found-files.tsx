import type { FoundFile } from '@homeward/contract/device-cloud'
import { useMemo } from 'react'
import { ByteSize } from '../components/text/byte-size.tsx'
import { Card } from '../components/layout/card.tsx'
import { type DataColumn, DataTable } from '../components/table/data-table.tsx'
import { EmptyState } from '../components/states/empty-state.tsx'
import { RelativeTime } from '../components/text/relative-time.tsx'
import { FileName } from './file-icon.tsx'
import { FileAction } from '../uploads/file-action.tsx'

interface FoundFilesProps {
  readonly files: readonly FoundFile[]
  readonly deviceId: string
}

/** A row of its own for each file, also where a device names one twice. */
interface FileRow extends FoundFile {
  readonly row: string
}

const idOf = ({ row }: FileRow) => row
const nameOf = ({ name }: FileRow) => name

/** The files that matched, each with what gets it. */
export function FoundFiles({ files, deviceId }: FoundFilesProps) {
  const rows = useMemo(() => files.map((file, index): FileRow => ({ ...file, row: String(index) })), [files])
  const columns = useMemo(() => columnsFor(deviceId), [deviceId])
  const title = files.length === 1 ? '1 file' : `${files.length.toLocaleString()} files`
  return (
    <Card title={title} isFlush>
      <DataTable
        label="Files"
        columns={columns}
        rows={rows}
        rowId={idOf}
        rowText={nameOf}
        empty={<EmptyState title="No file matched" />}
      />
    </Card>
  )
}

function columnsFor(deviceId: string): readonly DataColumn<FileRow>[] {
  return [
    {
      id: 'name',
      header: 'Name',
      cell: ({ name, kind }) => <FileName name={name} kind={kind} />,
      width: '2fr',
      minWidth: 140,
    },
    {
      id: 'path',
      header: 'Path',
      cell: ({ path }) => (
        <span className="mono" title={path}>
          {path}
        </span>
      ),
      width: '3fr',
      minWidth: 160,
    },
    { id: 'size', header: 'Size', cell: ({ size }) => <ByteSize value={size} />, width: 100, align: 'end' },
    {
      id: 'modified',
      header: 'Changed',
      cell: ({ modified }) => <RelativeTime value={modified} />,
      width: 130,
    },
    {
      id: 'get',
      header: 'Get file',
      cell: ({ path, name, modified }) => (
        <FileAction deviceId={deviceId} filePath={path} fileName={name} modified={modified} />
      ),
      width: 240,
    },
  ]
}

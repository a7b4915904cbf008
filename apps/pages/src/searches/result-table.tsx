import { useMemo, useState } from 'react'
import { SidePanel, useHasPanelRoom } from '../components/layout/side-panel.tsx'
import { DataTable, type DataTableProps } from '../components/table/data-table.tsx'
import { CodeBlock } from '../components/text/code-block.tsx'
import { FilePanel } from '../uploads/file-panel.tsx'
import { resultColumns } from './result-columns.tsx'
import { nextResultSort, type ResultRow, toTableSort } from './result-rows.ts'

interface ResultTableProps extends Pick<
  DataTableProps<ResultRow>,
  'rows' | 'empty' | 'onLoadMore' | 'isLoadingMore'
> {
  /** A scope; `all` for any. @default 'all' */
  readonly kind?: string
  /** Whether all rows are of one device, which the page names. @default false */
  readonly isOneDevice?: boolean
  /** An order of the results. */
  readonly sort: string
  readonly onSort: (sort: string) => void
}

const idOf = ({ id }: ResultRow) => id
const textOf = ({ name, device }: ResultRow) => `${name} on ${device.name}`

/** Results of devices, one row for each file, app or other answer. A press on a row shows it beside the table. */
export function ResultTable(props: ResultTableProps) {
  const { rows, kind = 'all', isOneDevice = false, sort, onSort, ...table } = props
  const [openId, setOpenId] = useState<string>()
  const open = rows.find(({ id }) => id === openId)
  const isBeside = useHasPanelRoom() && open !== undefined
  const columns = useMemo(
    () => resultColumns(rows, { chosenKind: kind, isOneDevice, isBeside }),
    [rows, kind, isOneDevice, isBeside],
  )
  return (
    <>
      <DataTable
        label="Results"
        {...table}
        columns={columns}
        rows={rows}
        rowId={idOf}
        rowText={textOf}
        onRowAction={setOpenId}
        currentId={open?.id}
        cards="compact"
        sort={toTableSort(sort)}
        onSort={(column) => onSort(nextResultSort(sort, column))}
      />
      {open && <RowPanel row={open} onClose={() => setOpenId(undefined)} />}
    </>
  )
}

function RowPanel({ row, onClose }: { readonly row: ResultRow; readonly onClose: () => void }) {
  const { scope, name, detail, kind, ...file } = row
  if (scope === 'files') {
    return <FilePanel file={{ ...file, name, path: detail, canGet: kind !== 'folder' }} onClose={onClose} />
  }
  return (
    <SidePanel title={name} onClose={onClose}>
      <CodeBlock code={detail} label={`what ${row.device.name} found`} isWrapped />
    </SidePanel>
  )
}

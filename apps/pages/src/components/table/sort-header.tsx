import { ArrowDown, ArrowUp } from 'lucide-react'
import type { DataColumn, DataTableProps } from './data-column.ts'

interface SortHeaderProps<Row extends object> extends Pick<DataTableProps<Row>, 'sort' | 'onSort'> {
  readonly column: DataColumn<Row>
  readonly isNarrow: boolean
}

/** The header of a column. A press on that of a sortable one sorts by it; above cards it is text for screen readers. */
export function SortHeader<Row extends object>({ column, sort, onSort, isNarrow }: SortHeaderProps<Row>) {
  const { id, header, align, isSortable = false } = column
  const direction = sort?.column === id ? sort.direction : undefined
  const Arrow = direction === 'ascending' ? ArrowUp : ArrowDown
  return (
    <div
      role="columnheader"
      className="data-table-column"
      data-align={align}
      {...(isSortable && { 'aria-sort': direction ?? 'none' })}
    >
      {isSortable && onSort && !isNarrow ? (
        <button type="button" className="data-table-sort" onClick={() => onSort(id)}>
          <span className="truncate">{header}</span>
          {direction && <Arrow aria-hidden />}
        </button>
      ) : (
        <span className="truncate">{header}</span>
      )}
    </div>
  )
}

import type { ReactNode } from 'react'

/** One column of a `DataTable`. */
interface DataColumn<Row> {
  readonly id: string
  readonly header: string
  readonly cell: (row: Row) => ReactNode
  /** Pixels, or a share of what is left. @default '1fr' */
  readonly width?: number | `${number}fr`
  /** Pixels. @default 90 */
  readonly minWidth?: number
  /** @default 'start' */
  readonly align?: 'start' | 'end'
  /** Names the row, for screen readers. @default the first column */
  readonly isRowHeader?: boolean
  /** Left out of the cards that narrow screens show. @default false */
  readonly isHiddenInCards?: boolean
  /** How many lines of each labeled card it has. @default 1 */
  readonly cardLines?: 1 | 2
  /** Stands in the upper corner of each compact card, across from the title. @default false */
  readonly isCardCorner?: boolean
  /** What compact cards show instead of the cell; nothing when it is undefined. */
  readonly cardCell?: (row: Row) => ReactNode
  /** Whether a press on its header sorts by it. @default false */
  readonly isSortable?: boolean
}

/** The column that rows are sorted by. The table shows it; whoever gives the rows sorts them. */
interface TableSort {
  readonly column: string
  readonly direction: 'ascending' | 'descending'
}

/** Rows that are chosen, by id; also some that a filter hides. */
interface RowSelection {
  readonly selected: ReadonlySet<string>
  readonly onChange: (selected: ReadonlySet<string>) => void
}

/** What a `DataTable` takes. */
interface DataTableProps<Row extends object> {
  /** What the rows are, for screen readers. */
  readonly label: string
  /** The same array at each render: rows are rendered anew when it is another one. */
  readonly columns: readonly DataColumn<Row>[]
  /**
   * How narrow screens show a row: each value with its label, or the row header, one corner and a line of the other values.
   *
   * @default 'labeled'
   */
  readonly cards?: 'labeled' | 'compact'
  readonly rows: readonly Row[]
  readonly rowId: (row: Row) => string
  /** What the row is called, where something is said about it. @default its id */
  readonly rowText?: (row: Row) => string
  /** Where a press on the row leads. */
  readonly rowHref?: (row: Row) => string
  /** What a press on the row does, where it leads nowhere. */
  readonly onRowAction?: (id: string) => void
  readonly selection?: RowSelection
  readonly sort?: TableSort | undefined
  /** The header of a sortable column was pressed. */
  readonly onSort?: ((column: string) => void) | undefined
  /** Shown instead of no rows. */
  readonly empty?: ReactNode
  /** Called near the end of the rows, while there are more. */
  readonly onLoadMore?: (() => unknown) | undefined
  readonly isLoadingMore?: boolean
  /** Pixels: all rows have the same, so that a hundred thousand cost no more than those in sight. @default 44 */
  readonly rowHeight?: number
}

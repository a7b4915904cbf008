import {
  memo,
  type MouseEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useRef,
  type FocusEvent,
  useLayoutEffect,
} from 'react'
import { Link, useLocation } from 'wouter'
import { SelectionBox } from './selection-box.tsx'

/** One column of a `DataTable`. */
export interface DataColumn<Row> {
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
export interface TableSort {
  readonly column: string
  readonly direction: 'ascending' | 'descending'
}

/** Rows that are chosen, by id; also some that a filter hides. */
interface RowSelection {
  readonly selected: ReadonlySet<string>
  readonly onChange: (selected: ReadonlySet<string>) => void
}

/** What a `DataTable` takes. */
export interface DataTableProps<Row extends object> {
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
  /** The row that shows beside the table. */
  readonly currentId?: string | undefined
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

/** What a row calls: in a reference, so that another function at each render does not render all rows anew. */
export interface RowCalls<Row extends object> extends Pick<
  DataTableProps<Row>,
  'rowId' | 'rowText' | 'rowHref' | 'onRowAction' | 'selection'
> {
  readonly onFocus: (index: number) => void
}

interface TableRowProps<Row extends object> {
  readonly row: Row
  readonly index: number
  readonly columns: readonly DataColumn<Row>[]
  readonly rowHeight: number
  readonly isNarrow: boolean
  readonly isCompact: boolean
  readonly isActive: boolean
  /** Whether it shows beside the table. */
  readonly isCurrent: boolean
  /** Undefined where rows cannot be chosen. */
  readonly isSelected: boolean | undefined
  readonly calls: RefObject<RowCalls<Row>>
}

function Row<Row extends object>({
  row,
  index,
  columns,
  rowHeight,
  isNarrow,
  isCompact,
  isActive,
  isCurrent,
  isSelected,
  calls,
}: TableRowProps<Row>) {
  const [, navigate] = useLocation()
  const line = useRef<HTMLDivElement>(null)
  useEffect(() => {
    // Rows that came in above have moved this one, and the focus with it.
    if (line.current?.matches(':focus-within')) calls.current.onFocus(index)
  }, [index, calls])
  const focusEvents = useKeptRowFocus(line, () => calls.current.onFocus(index))
  const { rowId, rowText, rowHref, onRowAction } = calls.current
  const id = rowId(row)
  const href = rowHref?.(row)
  const header = columns.find(({ isRowHeader }) => isRowHeader) ?? columns[0]

  function toggle(): void {
    const { selection } = calls.current
    if (!selection) return
    const selected = new Set(selection.selected)
    if (!selected.delete(id)) selected.add(id)
    selection.onChange(selected)
  }

  function press(event: MouseEvent): void {
    // A dialog that the row opened lies elsewhere, but its clicks come here too.
    if (!(event.target instanceof Node && event.currentTarget.contains(event.target))) return
    // What is in the row does its own.
    if (event.defaultPrevented || isControl(event.target) || hasModifier(event)) return
    if (href !== undefined) navigate(href)
    else if (onRowAction) onRowAction(id)
    else toggle()
  }

  return (
    // The keys of the grid are those of its rows: Enter comes here as a click.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
    <div
      ref={line}
      role="row"
      aria-rowindex={index + 2}
      aria-selected={isSelected}
      aria-current={isCurrent || undefined}
      className="data-table-line data-table-row"
      data-index={index}
      data-pressable={href !== undefined || onRowAction !== undefined || undefined}
      style={{ height: rowHeight, transform: `translateY(${index * rowHeight}px)` }}
      tabIndex={isActive ? 0 : -1}
      onClick={press}
      {...focusEvents}
      onKeyDown={(event) => {
        if (event.key !== ' ' || event.target !== event.currentTarget || isSelected === undefined) return
        event.preventDefault()
        toggle()
      }}
    >
      {isSelected !== undefined && (
        <div role="gridcell" className="data-table-cell data-table-box">
          <SelectionBox
            label={`Choose ${rowText?.(row) ?? id}`}
            isSelected={isSelected}
            isTabStop={false}
            onChange={toggle}
          />
        </div>
      )}
      {isCompact ? (
        <CompactCells row={row} columns={columns} header={header} href={href} />
      ) : (
        columns.map((column) => (
          <Cell key={column.id} isHeader={column === header} {...{ row, column, href }}>
            {isNarrow && (
              <span className="data-table-label" aria-hidden>
                {column.header}
              </span>
            )}
          </Cell>
        ))
      )}
    </div>
  )
}

interface CellProps<Row extends object> {
  readonly row: Row
  readonly column: DataColumn<Row>
  readonly isHeader: boolean
  /** Where a press on the row leads. */
  readonly href: string | undefined
  /** Before the value. */
  readonly children?: ReactNode
}

function Cell<Row extends object>({ row, column, isHeader, href, children }: CellProps<Row>) {
  return (
    <div role={isHeader ? 'rowheader' : 'gridcell'} className="data-table-cell" {...looksOf(column)}>
      {children}
      <div className="truncate foreign">
        {isHeader && href !== undefined ? (
          <Link href={href} className="data-table-link" tabIndex={-1}>
            {column.cell(row)}
          </Link>
        ) : (
          column.cell(row)
        )}
      </div>
    </div>
  )
}

interface CompactCellsProps<Row extends object> {
  readonly row: Row
  readonly columns: readonly DataColumn<Row>[]
  readonly header: DataColumn<Row> | undefined
  readonly href: string | undefined
}

/** The row header and the corner, and a line of the other values below them. */
function CompactCells<Row extends object>({ row, columns, header, href }: CompactCellsProps<Row>) {
  const shown = columns.filter(({ isHiddenInCards = false }) => !isHiddenInCards)
  const corner = shown.find(({ isCardCorner = false }) => isCardCorner)
  const rest = shown
    .filter((column) => column !== header && column !== corner)
    .map((column) => ({ id: column.id, value: (column.cardCell ?? column.cell)(row) }))
  return (
    <>
      {header && <Cell row={row} column={header} isHeader href={href} />}
      {corner && <Cell row={row} column={corner} isHeader={false} href={undefined} />}
      <div role="presentation" className="data-table-card-line">
        {rest.map(
          ({ id, value }) =>
            value !== undefined && (
              <div key={id} role="gridcell" className="data-table-card-value foreign">
                {value}
              </div>
            ),
        )}
      </div>
    </>
  )
}

/** What the style of a cell goes by. */
function looksOf<Row>({ align, isHiddenInCards, cardLines }: DataColumn<Row>) {
  return { 'data-align': align, 'data-hidden-in-cards': isHiddenInCards, 'data-card-lines': cardLines }
}

/** One row of a `DataTable`; rendered anew only when it is another one. */
export const TableRow = memo(Row) as typeof Row // `memo` loses the type parameter

function isControl(target: EventTarget): boolean {
  return target instanceof Element && target.closest('a, button, input, label, select, textarea') !== null
}

function hasModifier({ altKey, ctrlKey, metaKey, shiftKey }: MouseEvent): boolean {
  return altKey || ctrlKey || metaKey || shiftKey
}

/**
 * Gives the focus to a row when the button that had it goes away with what it did: nothing would have it otherwise.
 *
 * @param onFocus the row, or something in it, got the focus.
 */
function useKeptRowFocus(
  row: RefObject<HTMLElement | null>,
  onFocus: () => void,
): {
  readonly onFocus: (event: FocusEvent) => void
  readonly onBlur: (event: FocusEvent) => void
} {
  const focused = useRef<Element>(null)
  useLayoutEffect(() => {
    if (focused.current?.isConnected !== false) return
    focused.current = null
    if (document.activeElement === document.body) row.current?.focus({ preventScroll: true })
  })
  return {
    onFocus({ target }) {
      focused.current = target
      onFocus()
    },
    // Without another that gets it, it may be the button that goes.
    onBlur({ relatedTarget }) {
      if (relatedTarget !== null) focused.current = null
    },
  }
}

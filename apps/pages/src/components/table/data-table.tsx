import { type CSSProperties, useRef, useEffect, type RefObject, useCallback, useLayoutEffect } from 'react'
import type { DataColumn, DataTableProps } from './table-row.tsx'
import './data-table.css'
import { SelectionBox } from './selection-box.tsx'
import { type RowCalls, TableRow } from './table-row.tsx'
import { useMedia } from '../use-media.ts'
import { useLatest } from '../../api/use-latest.ts'
import { useRowFocus } from './use-row-focus.ts'
import { useVisibleRows } from './use-visible-rows.ts'
import { ArrowDown, ArrowUp } from 'lucide-react'

export type { DataColumn, DataTableProps, TableSort } from './table-row.tsx'

/** Up to here the page itself scrolls, and not the table in it. */
const shortRows = 40
const headHeight = 36
const moreHeight = 40
const borderHeight = 2
const cardLineHeight = 28
const compactCardHeight = 62
const cardPadding = 20
const boxWidth = 44
/** Windows that are too narrow for columns. Two lines per row look fine in the window of a zoomed page, too. */
const narrowWindows = { labeled: '(max-width: 44rem)', compact: '(max-width: 56rem)' } as const

/**
 * Rows and columns. Only what is in sight is in the document, however many there are; narrow screens show each row as a
 * card. By keyboard: arrows, Page Up and Down, Home and End go through the rows, Enter follows one, Space chooses it, the
 * right arrow goes to what is in it.
 *
 * Written here because the tables of React Aria keep a node for each cell of each row: ten thousand rows took it seconds.
 */
export function DataTable<Row extends object>(props: DataTableProps<Row>) {
  if (props.rows.length === 0 && props.empty !== undefined) return <>{props.empty}</>
  return <Grid {...props} />
}

function Grid<Row extends object>(props: DataTableProps<Row>) {
  const { label, columns, rows, rowId, selection, onLoadMore, isLoadingMore = false } = props
  const isNarrow = useMedia(narrowWindows[props.cards ?? 'labeled'])
  const isCompact = isNarrow && props.cards === 'compact'
  const cardHeight = isCompact ? compactCardHeight : cardHeightOf(columns)
  const rowHeight = isNarrow ? cardHeight : (props.rowHeight ?? 44)
  const headSize = isNarrow && !selection ? 0 : headHeight
  const isShort = rows.length <= shortRows && onLoadMore === undefined
  const isInPage = isShort || isNarrow

  const scroller = useRef<HTMLDivElement>(null)
  const keepScroll = useKeptScroll(scroller, label)
  const visible = useVisibleRows(scroller, { count: rows.length, rowHeight, isShort, isInPage })
  const focus = useRowFocus(scroller, {
    count: rows.length,
    rowHeight,
    headHeight: headSize,
    isInPage,
  })
  useLoadMore({ onLoadMore, isLoadingMore, count: rows.length, last: visible.last })
  const calls = useLatest<RowCalls<Row>>({ ...props, onFocus: focus.setActive })
  const height = rows.length * rowHeight

  return (
    <div
      className="data-table"
      style={frameStyle(headSize + height, onLoadMore !== undefined)}
      data-in-page={isInPage || undefined}
    >
      <div
        ref={scroller}
        role="grid"
        aria-label={label}
        aria-rowcount={rows.length + 1}
        aria-multiselectable={selection ? true : undefined}
        className="data-table-scroller"
        data-narrow={isNarrow || undefined}
        data-compact={isCompact || undefined}
        style={columnStyle(columns, selection !== undefined)}
        onScroll={() => {
          visible.onScroll()
          keepScroll()
        }}
        onKeyDown={focus.onKeyDown}
      >
        <TableHead {...props} isNarrow={isNarrow} />
        <div role="rowgroup" className="data-table-body" style={{ height }}>
          {indexesOf(visible, focus.active).map((index) => {
            const row = rows[index]
            if (row === undefined) return null
            return (
              <TableRow
                key={rowId(row)}
                {...{ row, index, columns, rowHeight, isNarrow, isCompact, calls }}
                isActive={index === focus.active}
                isCurrent={props.currentId !== undefined && rowId(row) === props.currentId}
                isSelected={selection?.selected.has(rowId(row))}
              />
            )
          })}
        </div>
        {onLoadMore && <div className="data-table-more">{isLoadingMore ? 'Loading more …' : ''}</div>}
      </div>
    </div>
  )
}

function cardHeightOf<Row>(columns: readonly DataColumn<Row>[]): number {
  const lines = columns.map(({ isHiddenInCards = false, cardLines = 1 }) => (isHiddenInCards ? 0 : cardLines))
  return lines.reduce<number>((sum, each) => sum + each, 0) * cardLineHeight + cardPadding
}

interface TableHeadProps<Row extends object> extends DataTableProps<Row> {
  readonly isNarrow: boolean
}

/** Above cards only the box that chooses all of them shows. */
function TableHead<Row extends object>(props: TableHeadProps<Row>) {
  const { columns, rows, rowId, selection, isNarrow, sort, onSort } = props
  const chosen = selection ? rows.filter((row) => selection.selected.has(rowId(row))).length : 0
  return (
    <div role="rowgroup" className="data-table-head" data-boxes={selection !== undefined || undefined}>
      <div role="row" aria-rowindex={1} className="data-table-line">
        {selection && (
          <div role="columnheader" className="data-table-column" aria-label="Chosen">
            <SelectionBox
              label="Choose all"
              isSelected={chosen > 0 && chosen === rows.length}
              isIndeterminate={chosen > 0 && chosen < rows.length}
              onChange={(all) => selection.onChange(chooseAll(rows.map(rowId), selection.selected, all))}
            />
            {isNarrow && <span aria-hidden>Choose all</span>}
          </div>
        )}
        {columns.map((column) => (
          <SortHeader key={column.id} {...{ column, sort, onSort, isNarrow }} />
        ))}
      </div>
    </div>
  )
}

/** What a filter hides stays as it is. */
function chooseAll(
  ids: readonly string[],
  selected: ReadonlySet<string>,
  isChosen: boolean,
): ReadonlySet<string> {
  if (isChosen) return new Set([...selected, ...ids])
  const shown = new Set(ids)
  return new Set([...selected].filter((id) => !shown.has(id)))
}

/** The rows in sight, and the one that has or had the focus: it must not get lost when it is scrolled away. */
function indexesOf({ first, last }: { first: number; last: number }, active: number): readonly number[] {
  const inSight = Array.from({ length: Math.max(last - first, 0) }, (_, offset) => first + offset)
  if (active < first) return [active, ...inSight]
  return active >= last ? [...inSight, active] : inSight
}

function frameStyle(height: number, hasMore: boolean): CSSProperties {
  return { height: height + (hasMore ? moreHeight : 0) + borderHeight }
}

/** Columns as CSS writes them, for the head and each row alike. */
function columnStyle<Row>(columns: readonly DataColumn<Row>[], hasBoxes: boolean): CSSProperties {
  const sizes = columns.map(({ width = '1fr', minWidth = 90 }) =>
    typeof width === 'number' ? `${width}px` : `minmax(${minWidth}px, ${width})`,
  )
  const least = columns.map(({ width, minWidth = 90 }) => (typeof width === 'number' ? width : minWidth))
  const boxes = hasBoxes ? boxWidth : 0
  return {
    '--table-columns': [...(hasBoxes ? [`${boxWidth}px`] : []), ...sizes].join(' '),
    '--table-min-width': `${boxes + least.reduce((sum, each) => sum + each, 0)}px`,
  } as CSSProperties // its type knows no custom properties
}

interface LoadMoreOptions {
  readonly onLoadMore: (() => unknown) | undefined
  readonly isLoadingMore: boolean
  /** How many rows there are. */
  readonly count: number
  /** Behind the last row in sight. */
  readonly last: number
}

/** Rows before the end at which more are asked for. */
const marginRows = 20

/**
 * Asks for more rows when the end comes near: once for each place in the list, so that what cannot be read is not asked for
 * without end, and scrolling asks again.
 */
function useLoadMore({ onLoadMore, isLoadingMore, count, last }: LoadMoreOptions): void {
  const askedAt = useRef('')
  useEffect(() => {
    const place = `${last} of ${count}`
    if (!onLoadMore || isLoadingMore || last < count - marginRows || askedAt.current === place) return
    askedAt.current = place
    void onLoadMore()
  }, [onLoadMore, isLoadingMore, count, last])
}

interface SortHeaderProps<Row extends object> extends Pick<DataTableProps<Row>, 'sort' | 'onSort'> {
  readonly column: DataColumn<Row>
  readonly isNarrow: boolean
}

/** The header of a column. A press on that of a sortable one sorts by it; above cards it is text for screen readers. */
function SortHeader<Row extends object>({ column, sort, onSort, isNarrow }: SortHeaderProps<Row>) {
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

/** Browsers take a change of the history's state some hundred times a minute. */
const pauseMs = 200

/**
 * Keeps the place of what scrolls within the page in the tab's history, as the browser does for the page itself: whoever
 * comes back finds it.
 *
 * @param name of what scrolls, once on its page.
 * @returns to be called when it scrolls.
 */
function useKeptScroll(scroller: RefObject<HTMLElement | null>, name: string): () => void {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useLayoutEffect(() => {
    const top = readPlaces()[name]
    if (scroller.current && typeof top === 'number') scroller.current.scrollTop = top
  }, [scroller, name])
  useEffect(() => () => clearTimeout(timer.current), [])

  return useCallback(() => {
    clearTimeout(timer.current)
    timer.current = setTimeout(() => {
      const places = { ...readPlaces(), [name]: scroller.current?.scrollTop ?? 0 }
      history.replaceState({ ...readState(), places }, '')
    }, pauseMs)
  }, [scroller, name])
}

function readState(): object {
  const state: unknown = history.state
  return typeof state === 'object' && state !== null ? state : {}
}

function readPlaces(): Readonly<Record<string, unknown>> {
  const places: unknown = Reflect.get(readState(), 'places')
  return typeof places === 'object' && places !== null ? { ...places } : {}
}

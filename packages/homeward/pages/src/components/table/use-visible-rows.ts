import { type RefObject, useCallback, useLayoutEffect, useState } from 'react'

interface VisibleRowsOptions {
  readonly count: number
  /** Pixels. */
  readonly rowHeight: number
  /** All rows are rendered. */
  readonly isShort: boolean
}

/** The rows in sight: from `first` to before `last`. */
export interface VisibleRows {
  readonly first: number
  readonly last: number
  readonly onScroll: () => void
}

/** Rows above and below those in sight, so that a fast scroll shows no gap. */
const marginRows = 8

/** Which rows are in sight; rendered anew only when that changes by several rows. */
export function useVisibleRows(
  scroller: RefObject<HTMLElement | null>,
  { count, rowHeight, isShort }: VisibleRowsOptions,
): VisibleRows {
  const [block, setBlock] = useState({ first: 0, rows: 30 })

  const measure = useCallback(() => {
    const element = scroller.current
    if (element === null) return
    const first = Math.floor(element.scrollTop / rowHeight / marginRows) * marginRows
    const rows = Math.ceil(element.clientHeight / rowHeight)
    setBlock((before) => (before.first === first && before.rows === rows ? before : { first, rows }))
  }, [scroller, rowHeight])

  useLayoutEffect(() => {
    const element = scroller.current
    if (element === null || isShort) return
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [scroller, measure, isShort])

  if (isShort) return { first: 0, last: count, onScroll: measure }
  // Fewer rows than before: until the browser has scrolled back, those at the end are in sight.
  const first = Math.max(Math.min(block.first, count - block.rows) - marginRows, 0)
  return { first, last: Math.min(first + block.rows + 3 * marginRows, count), onScroll: measure }
}

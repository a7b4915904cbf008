import { type RefObject, useCallback, useLayoutEffect, useState } from 'react'

interface VisibleRowsOptions {
  readonly count: number
  /** Pixels. */
  readonly rowHeight: number
  /** All rows are rendered. */
  readonly isShort: boolean
  /** The page scrolls, and not the table in it. */
  readonly isInPage: boolean
}

/** The rows in sight: from `first` to before `last`. */
interface VisibleRows {
  readonly first: number
  readonly last: number
  readonly onScroll: () => void
}

/** Rows above and below those in sight, so that a fast scroll shows no gap. */
const marginRows = 8

const pageEvents = ['scroll', 'resize']

/** Which rows are in sight; rendered anew only when that changes by several rows. */
export function useVisibleRows(
  scroller: RefObject<HTMLElement | null>,
  { count, rowHeight, isShort, isInPage }: VisibleRowsOptions,
): VisibleRows {
  const [block, setBlock] = useState({ first: 0, rows: 30 })

  const measure = useCallback(() => {
    const element = scroller.current
    if (element === null) return
    const { top, height } = isInPage
      ? { top: Math.max(-element.getBoundingClientRect().top, 0), height: window.innerHeight }
      : { top: element.scrollTop, height: element.clientHeight }
    const first = Math.floor(top / rowHeight / marginRows) * marginRows
    const rows = Math.ceil(height / rowHeight)
    setBlock((before) => (before.first === first && before.rows === rows ? before : { first, rows }))
  }, [scroller, rowHeight, isInPage])

  useLayoutEffect(() => {
    const element = scroller.current
    if (element === null || isShort) return
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    if (isInPage) for (const type of pageEvents) window.addEventListener(type, measure, { passive: true })
    return () => {
      observer.disconnect()
      for (const type of pageEvents) window.removeEventListener(type, measure)
    }
  }, [scroller, measure, isShort, isInPage])

  if (isShort) return { first: 0, last: count, onScroll: measure }
  // Fewer rows than before: until the browser has scrolled back, those at the end are in sight.
  const first = Math.max(Math.min(block.first, count - block.rows) - marginRows, 0)
  return { first, last: Math.min(first + block.rows + 3 * marginRows, count), onScroll: measure }
}

import { type KeyboardEvent, type RefObject, useEffect, useRef, useState } from 'react'

interface RowFocusOptions {
  readonly count: number
  /** Pixels. */
  readonly rowHeight: number
  /** Pixels that the head covers. */
  readonly headHeight: number
  /** The page scrolls, and not the table in it. */
  readonly isInPage: boolean
}

/** The row that Tab goes to, and the keys that go to others. */
interface RowFocus {
  readonly active: number
  readonly setActive: (index: number) => void
  readonly onKeyDown: (event: KeyboardEvent<HTMLElement>) => void
}

/** One row of the grid can be reached by Tab; from there keys go to all others. */
export function useRowFocus(
  scroller: RefObject<HTMLElement | null>,
  { count, rowHeight, headHeight, isInPage }: RowFocusOptions,
): RowFocus {
  const [chosen, setActive] = useState(0)
  const active = Math.min(chosen, Math.max(count - 1, 0))
  // Where the focus goes once the row is in the document.
  const wanted = useRef<number>(undefined)

  useEffect(() => {
    if (wanted.current === undefined) return
    rowAt(scroller.current, wanted.current)?.focus({ preventScroll: true })
    wanted.current = undefined
  })

  function goTo(index: number): void {
    const target = Math.max(0, Math.min(index, count - 1))
    wanted.current = target
    const row = rowAt(scroller.current, target)
    if (isInPage && row) row.scrollIntoView({ block: 'nearest' })
    else if (isInPage) revealInPage(scroller.current, headHeight + target * rowHeight, rowHeight)
    else revealInTable(scroller.current, target * rowHeight, rowHeight, headHeight)
    if (target === active) row?.focus({ preventScroll: true })
    else setActive(target)
  }

  function onKeyDown(event: KeyboardEvent<HTMLElement>): void {
    const { key, target, currentTarget, defaultPrevented } = event
    if (
      defaultPrevented ||
      !(target instanceof HTMLElement) ||
      event.ctrlKey ||
      event.metaKey ||
      event.altKey
    )
      return
    const row = target.closest<HTMLElement>('[data-index]')
    if (row === null || isTyping(target)) return
    const at = Number(row.dataset['index'])
    const pageHeight = isInPage ? window.innerHeight : currentTarget.clientHeight
    const page = Math.max(Math.floor(pageHeight / rowHeight) - 1, 1)
    const targets: Readonly<Record<string, number>> = {
      ArrowDown: at + 1,
      ArrowUp: at - 1,
      PageDown: at + page,
      PageUp: at - page,
      Home: 0,
      End: count - 1,
    }
    const next = targets[key]
    if (next !== undefined) goTo(next)
    else if (key === 'Enter' && target === row) row.click()
    else if (key === 'ArrowRight' || key === 'ArrowLeft')
      moveWithin(row, target, key === 'ArrowRight' ? 1 : -1)
    else return
    event.preventDefault()
  }

  return { active, setActive, onKeyDown }
}

function rowAt(scroller: HTMLElement | null, index: number): HTMLElement | null {
  return scroller?.querySelector<HTMLElement>(`[data-index="${index}"]`) ?? null
}

/** Scrolls as little as is needed: the row itself may not be in the document yet. */
function revealInTable(scroller: HTMLElement | null, top: number, height: number, headHeight: number): void {
  if (scroller === null) return
  const room = scroller.clientHeight - headHeight
  if (top < scroller.scrollTop) scroller.scrollTop = top
  else if (top + height > scroller.scrollTop + room) scroller.scrollTop = top + height - room
}

/** What the bar of the application covers, with some room. */
const coveredHeight = 64

/** @param top within the table */
function revealInPage(scroller: HTMLElement | null, top: number, height: number): void {
  if (scroller === null) return
  const above = scroller.getBoundingClientRect().top + top
  const below = above + height - window.innerHeight
  if (above < coveredHeight) window.scrollBy(0, above - coveredHeight)
  else if (below > 0) window.scrollBy(0, below)
}

/** From the row to what is in it, and back. */
function moveWithin(row: HTMLElement, target: HTMLElement, step: 1 | -1): void {
  const stops = [row, ...row.querySelectorAll<HTMLElement>('a[href], button, input')].filter(
    (each) => !each.classList.contains('data-table-link'),
  )
  stops[stops.indexOf(target) + step]?.focus()
}

/** Where arrows belong to what is being written. */
function isTyping(target: HTMLElement): boolean {
  return target.matches('textarea, select, [contenteditable], input:not([type="checkbox"], [type="radio"])')
}

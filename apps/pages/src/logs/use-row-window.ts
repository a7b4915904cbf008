import type { JournalEvent } from '@homeward/contract/agent-platform'
import { type RefObject, useLayoutEffect, useRef, useState } from 'react'
import { indexOfSeq, type VisibleRows, visibleRows } from './visible-rows.ts'

/** What {@link useRowWindow} is told. */
interface RowWindowOptions {
  readonly events: readonly JournalEvent[]
  readonly rowHeight: number
  /** Whether the newest event stays in sight. */
  readonly isFollowing: boolean
  readonly onFollowingChange: (isFollowing: boolean) => void
}

/** A scrolled list of which only what is in sight is rendered. */
interface RowWindow {
  readonly box: RefObject<HTMLDivElement | null>
  readonly rows: VisibleRows
  readonly onScroll: () => void
  /** Brings a row into sight. */
  readonly show: (index: number) => void
}

/** How far from the end still counts as the end, in pixels. */
const nearEnd = 8

/**
 * Keeps what is in sight where it is when events come in above, and goes along with the newest while the list is
 * scrolled to its end.
 */
export function useRowWindow({
  events,
  rowHeight,
  isFollowing,
  onFollowingChange,
}: RowWindowOptions): RowWindow {
  const box = useRef<HTMLDivElement>(null)
  /** The event at the upper edge, and how far it is scrolled out. */
  const anchor = useRef({ seq: 0, offset: 0 })
  const [geometry, setGeometry] = useState({ scrollTop: 0, height: 600 })

  function measure(): void {
    const element = box.current
    if (!element) return
    const { scrollTop, clientHeight: height } = element
    const top = Math.floor(scrollTop / rowHeight)
    anchor.current = { seq: events[top]?.seq ?? 0, offset: scrollTop - top * rowHeight }
    setGeometry((before) =>
      before.scrollTop === scrollTop && before.height === height ? before : { scrollTop, height },
    )
  }

  useLayoutEffect(() => {
    const element = box.current
    if (!element) return
    const { seq, offset } = anchor.current
    if (isFollowing) element.scrollTop = element.scrollHeight
    else if (seq > 0) element.scrollTop = indexOfSeq(events, seq) * rowHeight + offset
    measure()
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- measuring is not a reason to scroll
  }, [events, isFollowing, rowHeight])

  const measureLatest = useRef(measure)
  useLayoutEffect(() => {
    measureLatest.current = measure
  })
  useLayoutEffect(() => {
    const element = box.current
    if (!element) return
    const observer = new ResizeObserver(() => measureLatest.current())
    observer.observe(element)
    return () => observer.disconnect()
  }, [])

  function onScroll(): void {
    const element = box.current
    if (!element) return
    measure()
    const isAtEnd = element.scrollHeight - element.scrollTop - element.clientHeight < nearEnd
    if (isAtEnd !== isFollowing) onFollowingChange(isAtEnd)
  }

  function show(index: number): void {
    const element = box.current
    if (!element) return
    const top = index * rowHeight
    if (top < element.scrollTop) element.scrollTop = top
    else if (top + rowHeight > element.scrollTop + element.clientHeight) {
      element.scrollTop = top + rowHeight - element.clientHeight
    }
    onScroll()
  }

  return { box, rows: visibleRows({ count: events.length, rowHeight, ...geometry }), onScroll, show }
}

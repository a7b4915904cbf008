import type { JournalEvent } from '@homeward/contract/agent-platform'
import type { KeyboardEvent } from 'react'
import { useIsNarrow } from '../../components/table/use-is-narrow.ts'
import { LogRow } from './log-row.tsx'
import { useRowWindow } from './use-row-window.ts'
import { indexOfSeq } from './visible-rows.ts'

/** What a {@link LogList} takes. */
export interface LogListProps {
  /** Oldest first. */
  readonly events: readonly JournalEvent[]
  /** Number of the event that is looked at. */
  readonly selected: number | undefined
  readonly onSelect: (seq: number) => void
  /** The event was asked for, by a press or by Enter. */
  readonly onOpen: (seq: number) => void
  readonly isFollowing: boolean
  readonly onFollowingChange: (isFollowing: boolean) => void
}

/** Pixels: all rows are alike, so that a hundred thousand cost no more than those in sight. */
const rowHeights = { wide: 30, narrow: 54 }

/** Events below each other, the newest last. Works by keyboard: arrow keys, Page Up and Down, Home and End, Enter. */
export function LogList({
  events,
  selected,
  onSelect,
  onOpen,
  isFollowing,
  onFollowingChange,
}: LogListProps) {
  const rowHeight = useIsNarrow() ? rowHeights.narrow : rowHeights.wide
  const { box, rows, onScroll, show } = useRowWindow({ events, rowHeight, isFollowing, onFollowingChange })
  const current = selected === undefined ? -1 : indexOfSeq(events, selected)
  const isCurrentThere = events[current]?.seq === selected && current >= rows.first && current < rows.end

  function go(index: number): void {
    const target = Math.max(0, Math.min(index, events.length - 1))
    const event = events[target]
    if (!event) return
    onSelect(event.seq)
    show(target)
  }

  function onKeyDown(event: KeyboardEvent): void {
    const page = Math.max(1, Math.floor((box.current?.clientHeight ?? 0) / rowHeight) - 1)
    const start = current >= 0 && current < events.length ? current : undefined
    const target = targetOf(event.key, { start, page, last: events.length - 1 })
    if (target !== undefined) go(target)
    else if (event.key === 'Enter' && selected !== undefined) onOpen(selected)
    else return
    event.preventDefault()
  }

  return (
    <div
      ref={box}
      className="log-list"
      role="listbox"
      aria-label="Events"
      tabIndex={0}
      onScroll={onScroll}
      onKeyDown={onKeyDown}
      {...(isCurrentThere && { 'aria-activedescendant': `event-${selected}` })}
    >
      <div className="log-rows" role="presentation" style={{ height: events.length * rowHeight }}>
        {events.slice(rows.first, rows.end).map((event, index) => (
          <LogRow
            key={event.seq}
            event={event}
            top={(rows.first + index) * rowHeight}
            height={rowHeight}
            position={rows.first + index + 1}
            count={events.length}
            isSelected={event.seq === selected}
            onPress={onOpen}
          />
        ))}
      </div>
    </div>
  )
}

interface Place {
  /** Index that is looked at; undefined for none. */
  readonly start: number | undefined
  readonly page: number
  readonly last: number
}

/** Where a key leads; who looks at nothing begins with the newest. */
function targetOf(key: string, { start, page, last }: Place): number | undefined {
  if (key === 'Home') return 0
  if (key === 'End') return last
  const steps: Readonly<Record<string, number>> = { ArrowUp: -1, ArrowDown: 1, PageUp: -page, PageDown: page }
  const step = steps[key]
  if (step === undefined) return undefined
  return start === undefined ? last : start + step
}

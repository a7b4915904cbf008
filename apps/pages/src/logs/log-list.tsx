import type { JournalEvent } from '@homeward/contract/agent-platform'
import { type KeyboardEvent, memo } from 'react'
import { useAgentNames } from '../components/agents/agent-filter.tsx'
import { useIsNarrow } from '../components/use-media.ts'
import { useRowWindow } from './use-row-window.ts'
import { indexOfSeq } from './visible-rows.ts'
import { describeEvent } from './describe-event.ts'
import { pageLocale } from '../components/text/page-locale.ts'
import { isProblem } from './log-filter.ts'

/** What a {@link LogList} takes. */
interface LogListProps {
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
  const nameOf = useAgentNames()
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
            nameOf={nameOf}
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

/** What a {@link LogRow} takes. */
interface LogRowProps {
  readonly event: JournalEvent
  /** Pixels. */
  readonly top: number
  readonly height: number
  /** From 1 on. */
  readonly position: number
  readonly count: number
  readonly isSelected: boolean
  readonly onPress: (seq: number) => void
  /** The name of an agent, by its id. */
  readonly nameOf: (agentId: string) => string
}

const exact = new Intl.DateTimeFormat(pageLocale, {
  day: '2-digit',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
  hourCycle: 'h23',
})

/** One event in one line. */
const LogRow = memo(function LogRow(props: LogRowProps) {
  const { event, top, height, position, count, isSelected, onPress } = props
  const hasProblem = isProblem(event)
  return (
    // The list around it takes the keys.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
    <div
      id={`event-${event.seq}`}
      role="option"
      aria-selected={isSelected}
      aria-posinset={position}
      aria-setsize={count}
      className="log-row"
      style={{ transform: `translateY(${top}px)`, height }}
      onClick={() => onPress(event.seq)}
      {...(hasProblem && { 'data-problem': true })}
    >
      <time className="log-time numeric" dateTime={event.timestamp}>
        {toExactTime(event.timestamp)}
      </time>
      <span className="log-text truncate foreign">{describeEvent(event, props.nameOf)}</span>
      <span className="log-type">{event.type}</span>
    </div>
  )
})

function toExactTime(timestamp: string): string {
  const time = Date.parse(timestamp)
  return Number.isNaN(time) ? timestamp : exact.format(time)
}

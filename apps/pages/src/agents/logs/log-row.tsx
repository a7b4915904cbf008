import type { JournalEvent } from '@homeward/contract/agent-platform'
import { memo } from 'react'
import { pageLocale } from '../../components/text/page-locale.ts'
import { describeEvent } from './describe-event.ts'
import { isProblem } from './log-filter.ts'

/** What a {@link LogRow} takes. */
export interface LogRowProps {
  readonly event: JournalEvent
  /** Pixels. */
  readonly top: number
  readonly height: number
  /** From 1 on. */
  readonly position: number
  readonly count: number
  readonly isSelected: boolean
  readonly onPress: (seq: number) => void
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
export const LogRow = memo(function LogRow(props: LogRowProps) {
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
      <span className="log-type">{event.type}</span>
      <span className="log-text truncate foreign">{describeEvent(event)}</span>
    </div>
  )
})

function toExactTime(timestamp: string): string {
  const time = Date.parse(timestamp)
  return Number.isNaN(time) ? timestamp : exact.format(time)
}

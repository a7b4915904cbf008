import { useEffect, useRef } from 'react'
import { Link } from 'react-aria-components'
import { StatusBadge } from '../../components/states/status-badge.tsx'
import { formatCount, formatDuration } from '../chat/to-shown-text.ts'
import { type RunTimeline, spanKindNames, type TimelineSpan } from './run-timeline.ts'

const stateNames = {
  running: 'running',
  ok: 'completed',
  failed: 'failed',
  unfinished: 'not finished',
} as const

/** What a {@link TimelineTable} takes. */
export interface TimelineTableProps {
  readonly timeline: RunTimeline
  readonly selected: string | undefined
}

/** The steps of a run in words and numbers. */
export function TimelineTable({ timeline, selected }: TimelineTableProps) {
  return (
    // Focusable, so that a keyboard can scroll it where it is wider than the page.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className="plain-table-frame" role="region" aria-label="Steps of the run" tabIndex={0}>
      <table className="plain-table">
        <thead>
          <tr>
            <th scope="col">Step</th>
            <th scope="col">Kind</th>
            <th scope="col">State</th>
            <th scope="col" className="end">
              Begins after
            </th>
            <th scope="col" className="end">
              Took
            </th>
            <th scope="col" className="end">
              Tokens in
            </th>
            <th scope="col" className="end">
              Tokens out
            </th>
            <th scope="col">Notes</th>
          </tr>
        </thead>
        <tbody>
          {timeline.spans.map((span) => (
            <SpanRow key={span.id} span={span} timeline={timeline} isSelected={span.id === selected} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

interface SpanRowProps {
  readonly span: TimelineSpan
  readonly timeline: RunTimeline
  readonly isSelected: boolean
}

function SpanRow({ span, timeline, isSelected }: SpanRowProps) {
  const { kind, name, state, startMs, endMs = timeline.endMs, inputTokens, outputTokens, detail, href } = span
  const row = useRef<HTMLTableRowElement>(null)
  useEffect(() => {
    if (isSelected) row.current?.scrollIntoView({ block: 'nearest' })
  }, [isSelected])
  return (
    <tr ref={row} {...(isSelected && { 'data-selected': true })}>
      <th scope="row" className="foreign">
        {href === undefined ? name : <Link href={href}>{name}</Link>}
      </th>
      <td>{spanKindNames[kind]}</td>
      <td>
        <StatusBadge status={stateNames[state]} />
      </td>
      <td className="end">{formatDuration(Math.max(startMs - timeline.startMs, 0))}</td>
      <td className="end">{formatDuration(endMs - startMs)}</td>
      <td className="end">{inputTokens === undefined ? '' : formatCount(inputTokens)}</td>
      <td className="end">{outputTokens === undefined ? '' : formatCount(outputTokens)}</td>
      <td className="foreign">{detail}</td>
    </tr>
  )
}

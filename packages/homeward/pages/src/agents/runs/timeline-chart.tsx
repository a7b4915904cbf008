import { formatDuration } from '../chat/to-shown-text.ts'
import { type RunTimeline, spanKindNames, type TimelineSpan } from './run-timeline.ts'
import { toTicks } from './to-ticks.ts'
import './timeline.css'

/** What a {@link TimelineChart} takes. */
export interface TimelineChartProps {
  readonly timeline: RunTimeline
  /** The chosen bar. */
  readonly selected: string | undefined
  readonly onSelect: (id: string) => void
}

/** More bars than that are no picture any more; the table has all of them. */
const mostBars = 300

/**
 * A run as a picture: a bar for each model call, tool call, approval and run, at its time. The table below says the same
 * in words, so this is hidden from those who do not see it.
 */
export function TimelineChart({ timeline, selected, onSelect }: TimelineChartProps) {
  const { startMs, endMs, spans } = timeline
  const lengthMs = Math.max(endMs - startMs, 1)
  const shown = spans.slice(0, mostBars)
  return (
    <div className="timeline" aria-hidden>
      <div className="timeline-legend small muted">
        {(['model', 'tool', 'approval', 'run'] as const)
          .filter((kind) => spans.some((span) => span.kind === kind))
          .map((kind) => (
            <span key={kind} data-kind={kind}>
              {spanKindNames[kind]}
            </span>
          ))}
      </div>
      <div className="timeline-rows">
        <div className="timeline-axis small muted numeric">
          {toTicks(lengthMs).map((ms) => (
            <span key={ms} style={{ insetInlineStart: `${(ms / lengthMs) * 100}%` }}>
              {formatDuration(ms)}
            </span>
          ))}
        </div>
        {shown.map((span) => (
          <TimelineRow
            key={span.id}
            span={span}
            place={{ startMs, lengthMs, endMs }}
            isSelected={span.id === selected}
            onSelect={() => onSelect(span.id)}
          />
        ))}
      </div>
      {spans.length > mostBars && (
        <p className="small muted">The first {mostBars} are drawn; the table has all of them.</p>
      )}
    </div>
  )
}

interface TimelineRowProps {
  readonly span: TimelineSpan
  readonly place: { readonly startMs: number; readonly lengthMs: number; readonly endMs: number }
  readonly isSelected: boolean
  readonly onSelect: () => void
}

function TimelineRow({ span, place, isSelected, onSelect }: TimelineRowProps) {
  const spanEndMs = span.endMs ?? place.endMs
  const left = ((span.startMs - place.startMs) / place.lengthMs) * 100
  const width = ((spanEndMs - span.startMs) / place.lengthMs) * 100
  const tokens =
    span.inputTokens === undefined ? '' : ` · ${span.inputTokens} → ${span.outputTokens ?? 0} tokens`
  return (
    // A pointer's short way to the row of the table, which a keyboard reaches itself.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-static-element-interactions
    <div className="timeline-row" onClick={onSelect} {...(isSelected && { 'data-selected': true })}>
      <span className="timeline-name truncate foreign">{span.name}</span>
      <span className="timeline-track">
        <span
          className="timeline-bar"
          data-kind={span.kind}
          data-state={span.state}
          style={{ insetInlineStart: `${left}%`, inlineSize: `${width}%` }}
          title={`${spanKindNames[span.kind]} ${span.name}: ${formatDuration(spanEndMs - span.startMs)}${tokens}`}
        />
      </span>
      <span className="timeline-time small muted numeric">
        {formatDuration(spanEndMs - span.startMs)}
        {span.state === 'running' && ' …'}
      </span>
    </div>
  )
}

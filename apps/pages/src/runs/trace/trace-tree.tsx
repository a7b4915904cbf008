import {
  Bot,
  ChevronDown,
  ChevronRight,
  CircleHelp,
  type LucideIcon,
  MessageSquare,
  RotateCcw,
  Sparkles,
  Workflow,
  Wrench,
} from 'lucide-react'
import { type KeyboardEvent, useLayoutEffect, useRef, useState } from 'react'
import { Button } from '../../components/buttons/button.tsx'
import { formatCount, formatDuration } from '../../components/text/to-shown-text.ts'
import { costText } from '../run-texts.ts'
import type { TraceRow } from './trace-span.ts'
import { type SpanKind, spanKindNames } from './trace-span.ts'
import './trace.css'

/** What a {@link TraceTree} takes. */
interface TraceTreeProps {
  readonly rows: readonly TraceRow[]
  readonly range: { readonly startMs: number; readonly endMs: number }
  readonly selected: string | undefined
  readonly onSelect: (id: string) => void
  /** Folds or unfolds a span. */
  readonly onToggle: (id: string) => void
}

/** More lines than that are shown when somebody asks for them. */
const shownAtFirst = 300

const icons: Readonly<Record<SpanKind, LucideIcon>> = {
  turn: MessageSquare,
  model: Sparkles,
  attempt: RotateCcw,
  tool: Wrench,
  approval: CircleHelp,
  node: Workflow,
  run: Bot,
}

/**
 * The spans of a run, each with a bar at its time. By keyboard as every tree: up and down, right and left unfold and fold,
 * Home and End.
 */
export function TraceTree({ rows, range, selected, onSelect, onToggle }: TraceTreeProps) {
  const [most, setMost] = useState(shownAtFirst)
  const tree = useRef<HTMLDivElement>(null)
  const shown = rows.slice(0, most)
  const active = Math.max(
    shown.findIndex(({ span }) => span.id === selected),
    0,
  )

  function goTo(index: number): void {
    const row = shown[Math.max(0, Math.min(index, shown.length - 1))]
    if (!row) return
    onSelect(row.span.id)
    const items = tree.current?.querySelectorAll<HTMLElement>('[role="treeitem"]')
    items?.[shown.indexOf(row)]?.focus()
  }

  function onKeyDown(event: KeyboardEvent): void {
    const row = shown[active]
    if (!row || event.altKey || event.ctrlKey || event.metaKey) return
    const parent = shown.findLastIndex(({ level }, index) => index < active && level < row.level)
    const actions: Readonly<Record<string, () => void>> = {
      ArrowDown: () => goTo(active + 1),
      ArrowUp: () => goTo(active - 1),
      Home: () => goTo(0),
      End: () => goTo(shown.length - 1),
      ArrowRight: () => (row.isExpanded === false ? onToggle(row.span.id) : goTo(active + 1)),
      ArrowLeft: () => (row.isExpanded === true ? onToggle(row.span.id) : goTo(parent)),
      Enter: () => row.isExpanded !== undefined && onToggle(row.span.id),
    }
    const action = actions[event.key]
    if (!action) return
    event.preventDefault()
    action()
  }

  return (
    <div className="trace-frame">
      <Axis {...range} />
      <div ref={tree} role="tree" aria-label="Steps of the run" className="trace-tree" onKeyDown={onKeyDown}>
        {shown.map((row, index) => (
          <TraceLine
            key={row.span.id}
            row={row}
            range={range}
            isSelected={row.span.id === selected}
            isTabStop={index === active}
            onSelect={() => onSelect(row.span.id)}
            onToggle={() => onToggle(row.span.id)}
          />
        ))}
      </div>
      {rows.length > most && (
        <Button variant="quiet" onPress={() => setMost(rows.length)}>
          Show all {formatCount(rows.length)} steps
        </Button>
      )}
    </div>
  )
}

function Axis({ startMs, endMs }: TraceTreeProps['range']) {
  const lengthMs = endMs - startMs
  const axis = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(0)
  useLayoutEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWidth(entry!.contentRect.width))
    observer.observe(axis.current!)
    return () => observer.disconnect()
  }, [])
  return (
    <div ref={axis} className="trace-axis small muted numeric" aria-hidden>
      {toTicks(lengthMs, Math.floor(width / tickWidth)).map((ms) => (
        <span key={ms} style={{ insetInlineStart: `${(ms / lengthMs) * 100}%` }}>
          {formatDuration(ms).replace('.0 ', ' ')}
        </span>
      ))}
    </div>
  )
}

interface TraceLineProps {
  readonly row: TraceRow
  readonly range: TraceTreeProps['range']
  readonly isSelected: boolean
  readonly isTabStop: boolean
  readonly onSelect: () => void
  readonly onToggle: () => void
}

function TraceLine({ row, range, isSelected, isTabStop, onSelect, onToggle }: TraceLineProps) {
  const { span, level, isExpanded } = row
  const { kind, name, state, startMs, endMs } = span
  const Icon = icons[kind]
  const Arrow = isExpanded === true ? ChevronDown : ChevronRight
  const cost = costText(span)
  const tookMs = startMs === undefined ? undefined : (endMs ?? range.endMs) - startMs
  return (
    // The keys are those of the tree.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
    <div
      role="treeitem"
      aria-level={level}
      aria-selected={isSelected}
      aria-expanded={isExpanded}
      className="trace-line"
      data-kind={kind}
      data-state={state}
      data-level={Math.min(level, 6)}
      tabIndex={isTabStop ? 0 : -1}
      onClick={onSelect}
    >
      <span className="trace-name">
        {/* A pointer's short way: a keyboard folds by its arrows. */}
        {/* oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-static-element-interactions */}
        <span className="trace-fold" onClick={isExpanded === undefined ? undefined : onToggle}>
          {isExpanded !== undefined && <Arrow aria-hidden />}
        </span>
        <Icon aria-hidden />
        <span className="visually-hidden">
          {spanKindNames[kind]}, {state}:
        </span>
        <span className="truncate foreign">
          {kind === 'approval' && <span aria-hidden>Approval of </span>}
          {name}
        </span>
      </span>
      <span className="trace-track">
        {startMs !== undefined && <Bar {...{ range, startMs, endMs: endMs ?? range.endMs }} />}
      </span>
      <span className="trace-time small muted numeric">
        {tookMs === undefined ? state : formatDuration(tookMs)}
        {state === 'running' && ' …'}
        {cost !== undefined && <span className="trace-cost">{cost}</span>}
      </span>
    </div>
  )
}

interface BarProps {
  readonly range: TraceTreeProps['range']
  readonly startMs: number
  readonly endMs: number
}

function Bar({ range, startMs, endMs }: BarProps) {
  const lengthMs = range.endMs - range.startMs
  const style = {
    insetInlineStart: `${((startMs - range.startMs) / lengthMs) * 100}%`,
    inlineSize: `${((endMs - startMs) / lengthMs) * 100}%`,
  }
  return <span className="trace-bar" style={style} />
}

/** The label of a mark with the gap after it, in pixels: `1 h 30 min`. */
const tickWidth = 64

const [secondMs, minuteMs, hourMs] = [1000, 60_000, 3_600_000]
/** Units in which people count time, and how many of each make a round step. */
const roundSteps = [
  1,
  2,
  5,
  10,
  20,
  50,
  100,
  200,
  500,
  ...[1, 2, 5, 10, 15, 30].map((count) => count * secondMs),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * minuteMs),
  ...[1, 2, 3, 6, 12, 24].map((count) => count * hourMs),
]

/** Times at which an axis of a length is marked: at round numbers, from 0 on, with at most as many intervals as asked. */
export function toTicks(lengthMs: number, most: number): number[] {
  const wanted = lengthMs / Math.min(Math.max(most, 1), 6)
  const dayMs = 24 * hourMs
  const step = roundSteps.find((each) => each >= wanted) ?? Math.ceil(wanted / dayMs) * dayMs
  const ticks: number[] = []
  for (let ms = 0; ms <= lengthMs; ms += step) ticks.push(ms)
  return ticks
}

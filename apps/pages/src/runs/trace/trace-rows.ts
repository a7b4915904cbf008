import type { Run } from '@homeward/contract/agent-platform'
import type { TraceSpan } from './trace-span.ts'

/** A line of the tree. */
export interface TraceRow {
  readonly span: TraceSpan
  /** From 1 on. */
  readonly level: number
  /** Undefined for what has nothing to unfold. */
  readonly isExpanded: boolean | undefined
}

/** Whether a span can be unfolded: the steps of a run are read when it is. */
const isFoldable = ({ kind, children }: TraceSpan) => kind === 'run' || children.length > 0

/** Runs begin folded, all else unfolded. */
export const isExpanded = (span: TraceSpan, toggled: ReadonlySet<string>) =>
  (span.kind !== 'run') !== toggled.has(span.id)

/** The lines in sight, from top to bottom. `toggled` are spans that somebody folded or unfolded. */
export function toRows(spans: readonly TraceSpan[], toggled: ReadonlySet<string>, level = 1): TraceRow[] {
  return spans.flatMap((span) => {
    if (!isFoldable(span)) return [{ span, level, isExpanded: undefined }]
    const isOpen = isExpanded(span, toggled)
    const inner = isOpen ? toRows(span.children, toggled, level + 1) : []
    return [{ span, level, isExpanded: isOpen }, ...inner]
  })
}

/** The span that shows as long as nobody has chosen one: what works or went wrong, or else the first step. */
export function usualSpan(rows: readonly TraceRow[]): TraceSpan | undefined {
  const inner = rows.filter(({ span }) => span.kind !== 'turn')
  const found =
    inner.findLast(({ span }) => span.state === 'running' || span.state === 'waiting') ??
    inner.find(({ span }) => span.state === 'failed' && span.step !== undefined)
  return (found ?? inner[0] ?? rows[0])?.span
}

/** From when until when the bars go. `nowMs` ends what goes on. */
export function toRange(run: Run, rows: readonly TraceRow[], nowMs: number) {
  const isOpen = run.status === 'running' || run.status === 'waiting'
  const finishedMs = run.finished_at === undefined ? nowMs : Date.parse(run.finished_at)
  const starts = rows.flatMap(({ span }) => span.startMs ?? [])
  const ends = rows.flatMap(({ span }) => span.endMs ?? [])
  const startMs = Math.min(Date.parse(run.created_at), ...starts)
  return { startMs, endMs: Math.max(isOpen ? nowMs : finishedMs, startMs + 1, ...ends) }
}

import type { JournalEvent, Json, Run } from '@homeward/contract/agent-platform'

/** What a bar of a timeline stands for. */
export type SpanKind = 'model' | 'tool' | 'approval' | 'run'

/** How the kinds are called. */
export const spanKindNames: Readonly<Record<SpanKind, string>> = {
  model: 'Model call',
  tool: 'Tool call',
  approval: 'Approval',
  run: 'Run',
}

/** Something of a run that took time. */
export interface TimelineSpan {
  readonly id: string
  readonly kind: SpanKind
  readonly name: string
  readonly startMs: number
  /** Absent while it goes on. */
  readonly endMs?: number
  /** `unfinished`: the run has ended before it. */
  readonly state: 'running' | 'ok' | 'failed' | 'unfinished'
  readonly inputTokens?: number
  readonly outputTokens?: number
  /** What went wrong, or how it was decided. */
  readonly detail?: string
  /** Of a run that this one asked for. */
  readonly href?: string
}

/** A run as bars over time. */
export interface RunTimeline {
  readonly startMs: number
  /** End of the run, or now. */
  readonly endMs: number
  readonly spans: readonly TimelineSpan[]
}

/**
 * The timeline of a run from its events in the journal and the runs that it asked for, in the order they began. `nowMs`
 * ends what goes on.
 */
export function toTimeline(
  run: Run,
  events: readonly JournalEvent[],
  children: readonly Run[],
  nowMs: number,
): RunTimeline {
  const isOpen = run.status === 'running' || run.status === 'waiting'
  const spans = [
    ...modelSpans(events),
    ...toolSpans(events),
    ...approvalSpans(run),
    ...children.map(toRunSpan),
  ]
  const starts = spans.map(({ startMs }) => startMs)
  const ends = spans.map((span) => span.endMs ?? span.startMs)
  const finishedMs = run.finished_at === undefined ? nowMs : Date.parse(run.finished_at)
  return {
    // A model's duration is rounded: its first call may seem to begin before the run.
    startMs: Math.min(Date.parse(run.created_at), ...starts),
    endMs: Math.max(isOpen ? nowMs : finishedMs, ...ends),
    spans: spans
      .map((span) => (isOpen ? span : endedWith(finishedMs, span)))
      .toSorted((a, b) => a.startMs - b.startMs),
  }
}

/** What was never finished ends with the run. */
function endedWith(finishedMs: number, { state, ...span }: TimelineSpan): TimelineSpan {
  return { endMs: finishedMs, ...span, state: state === 'running' ? 'unfinished' : state }
}

function modelSpans(events: readonly JournalEvent[]): TimelineSpan[] {
  return events
    .filter(({ type }) => type === 'model.completed')
    .map(({ seq, timestamp, data }) => {
      const endMs = Date.parse(timestamp)
      return {
        id: `model-${seq}`,
        kind: 'model',
        name: toText(data['model']),
        startMs: endMs - toNumber(data['duration_ms']),
        endMs,
        state: 'ok',
        inputTokens: toNumber(data['input_tokens']),
        outputTokens: toNumber(data['output_tokens']),
        detail: toText(data['finish']),
      } as const
    })
}

/** Ids of calls may come again in a run: a call ends with the next end of its id. */
function toolSpans(events: readonly JournalEvent[]): TimelineSpan[] {
  const ends = events.filter(({ type }) => type === 'tool.completed')
  return events
    .filter(({ type }) => type === 'tool.called')
    .map((called) => {
      const id = called.data['call_id']
      const index = ends.findIndex(({ data, seq }) => data['call_id'] === id && seq > called.seq)
      const [end] = index < 0 ? [] : ends.splice(index, 1)
      const error = end?.data['error']
      return {
        id: `tool-${called.seq}`,
        kind: 'tool',
        name: toText(called.data['tool']),
        startMs: Date.parse(called.timestamp),
        ...(end && { endMs: Date.parse(end.timestamp) }),
        state: end === undefined ? 'running' : end.data['ok'] === false ? 'failed' : 'ok',
        ...(typeof error === 'string' && { detail: error }),
      } as const
    })
}

function approvalSpans({ approvals }: Run): TimelineSpan[] {
  return approvals.map(({ id, tool, status, reason, created_at, decided_at }) => ({
    id: `approval-${id}`,
    kind: 'approval',
    name: tool,
    startMs: Date.parse(created_at),
    ...(decided_at !== undefined && { endMs: Date.parse(decided_at) }),
    state: status === 'pending' ? 'running' : status === 'approved' ? 'ok' : 'failed',
    detail: reason === undefined ? status : `${status}: ${reason}`,
  }))
}

function toRunSpan({ id, agent_id, graph_id, created_at, finished_at, status }: Run): TimelineSpan {
  return {
    id: `run-${id}`,
    kind: 'run',
    name: agent_id ?? graph_id ?? id,
    startMs: Date.parse(created_at),
    ...(finished_at !== undefined && { endMs: Date.parse(finished_at) }),
    state: finished_at === undefined ? 'running' : status === 'completed' ? 'ok' : 'failed',
    detail: status,
    href: `/runs/${encodeURIComponent(id)}`,
  }
}

const toText = (value: Json | undefined) => (typeof value === 'string' ? value : '')
const toNumber = (value: Json | undefined) => (typeof value === 'number' ? value : 0)

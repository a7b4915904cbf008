import type * as OpenTelemetry from '@opentelemetry/api'
import type { Context, Span, Tracer } from '@opentelemetry/api'
import type { JournalEvent } from '@homeward/contract/agent-platform'
import {
  durationOf,
  text,
  toModelSpan,
  toRunEnd,
  toRunSpan,
  toToolSpan,
  type SpanStart,
} from './span-attributes.ts'

/** What spans are made with. */
export interface SpanMaker {
  readonly api: typeof OpenTelemetry
  readonly tracer: Tracer
}

/** The span of a run, with those of its model and tool calls. */
export interface RunSpan {
  readonly isOpen: boolean
  /** Where a run belongs that this one asked for. */
  contextOfChild(): Context
  add(event: JournalEvent): void
  /** Ends what is open, marked as such: the run goes on elsewhere, or later. */
  leave(): void
}

/** Begins the span of a run, by its first event. */
export function startRunSpan({ api, tracer }: SpanMaker, first: JournalEvent, parent: Context): RunSpan {
  const { SpanKind, SpanStatusCode, trace } = api
  const span = start(toRunSpan(first), timeOf(first), parent)
  const context = trace.setSpan(parent, span)
  const tools = new Map<string, { readonly span: Span; readonly tool: string | undefined }>()
  let isOpen = true

  function start(
    { name, attributes }: SpanStart,
    at: number,
    within: Context,
    kind = SpanKind.INTERNAL,
  ): Span {
    return tracer.startSpan(name, { kind, attributes, startTime: at }, within)
  }

  function fail(failed: Span, errorType: string): void {
    failed.setAttribute('error.type', errorType)
    // the text stays in the journal: it may hold anything
    failed.setStatus({ code: SpanStatusCode.ERROR })
  }

  function end(at?: number): void {
    for (const tool of tools.values()) tool.span.end(at)
    tools.clear()
    isOpen = false
    span.end(at)
  }

  function endTool(event: JournalEvent, callId: string, at: number): void {
    const tool = tools.get(callId)?.span ?? start(toToolSpan(event), at - durationOf(event), context)
    tools.delete(callId)
    if (event.data['ok'] === false) fail(tool, 'tool_error')
    tool.end(at)
  }

  function endRun(event: JournalEvent, at: number): void {
    const { attributes, errorType } = toRunEnd(event)
    span.setAttributes(attributes)
    if (errorType !== undefined) fail(span, errorType)
    end(at)
  }

  return {
    get isOpen() {
      return isOpen
    },
    /** The call of `run_agent` that is under way, when it can be told which; else the run itself. */
    contextOfChild() {
      const calls = [...tools.values()].filter(({ tool }) => tool === 'run_agent')
      const only = calls.length === 1 ? calls[0] : undefined
      return only ? trace.setSpan(context, only.span) : context
    },
    add(event) {
      const at = timeOf(event)
      const callId = text(event.data['call_id']) ?? ''
      if (event.type === 'model.completed') {
        start(toModelSpan(event), at - durationOf(event), context, SpanKind.CLIENT).end(at)
      } else if (event.type === 'tool.called') {
        tools.get(callId)?.span.end(at) // a call that is made again after a crash
        tools.set(callId, { span: start(toToolSpan(event), at, context), tool: text(event.data['tool']) })
      } else if (event.type === 'tool.completed') endTool(event, callId, at)
      else if (event.type === 'agent.completed' || event.type === 'graph.completed') endRun(event, at)
      else span.addEvent(event.type, {}, at)
    },
    leave() {
      if (!isOpen) return
      span.setAttribute('homeward.run.is_open', true)
      end()
    },
  }
}

const timeOf = ({ timestamp }: JournalEvent) => Date.parse(timestamp)

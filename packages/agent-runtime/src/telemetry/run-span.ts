import type * as OpenTelemetry from '@opentelemetry/api'
import type { Context, Span, Tracer } from '@opentelemetry/api'
import type { RuntimeEvent } from '../journal/runtime-events.ts'
import type { TracedAnswer, TracedRun, TracedWait } from '../ports/instrumentation.ts'
import {
  durationOf,
  text,
  toModelSpan,
  toRunEnd,
  toRunSpan,
  toToolSpan,
  toWaitSpan,
  type SpanStart,
} from './span-attributes.ts'
import { toContent } from './span-content.ts'

/** What spans are made with. */
export interface SpanMaker {
  readonly api: typeof OpenTelemetry
  readonly tracer: Tracer
}

/** The span of a run, with those of its model and tool calls. */
export interface RunSpan {
  /** Where what the run does belongs. */
  readonly context: Context
  recordsContent: boolean
  /** Begins the span of a call, or finds it. @returns where what the tool does belongs */
  startTool(call: { readonly callId: string; readonly tool: string }, atMs: number): Context
  addWait(wait: TracedWait, atMs: number): void
  /** Says what the next `model.completed` is about. */
  answered(answer: TracedAnswer): void
  add(event: RuntimeEvent): void
  /** Ends what is open, marked as such: the run goes on elsewhere, or later. */
  leave(): void
}

interface OpenTool {
  readonly span: Span
  /** Whether the journal has it. */
  isCalled: boolean
}

/** Begins the span of a run. */
export function startRunSpan({ api, tracer }: SpanMaker, run: TracedRun, parent: Context): RunSpan {
  const { SpanKind, SpanStatusCode, trace } = api
  const span = start(toRunSpan(run), Date.parse(run.createdAt), parent)
  const context = trace.setSpan(parent, span)
  const tools = new Map<string, OpenTool>()
  /** Of model calls whose events are still to come, in their order. */
  const answers: TracedAnswer[] = []

  function start(
    { name, attributes }: SpanStart,
    at: number,
    within = context,
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
    span.end(at)
  }

  function openTool(callId: string, tool: string | undefined, at: number): OpenTool {
    const opened = { span: start(toToolSpan(tool, callId), at), isCalled: false }
    tools.set(callId, opened)
    return opened
  }

  function callTool({ data }: RuntimeEvent, callId: string, at: number): void {
    let open = tools.get(callId)
    if (open?.isCalled === true) {
      open.span.end(at) // a call that is made again after a crash
      open = undefined
    }
    open ??= openTool(callId, text(data['tool']), at)
    open.isCalled = true
  }

  function endTool(event: RuntimeEvent, callId: string, at: number): void {
    const { data } = event
    const tool = tools.get(callId) ?? openTool(callId, text(data['tool']), at - durationOf(event))
    tools.delete(callId)
    if (data['ok'] === false) fail(tool.span, 'tool_error')
    tool.span.end(at)
  }

  function addModel(event: RuntimeEvent, at: number): void {
    const model = start(toModelSpan(event), at - durationOf(event), context, SpanKind.CLIENT)
    const answer = answers.shift()
    if (answer) model.setAttributes(toContent(answer))
    model.end(at)
  }

  function endRun(event: RuntimeEvent, at: number): void {
    const { attributes, errorType } = toRunEnd(event)
    span.setAttributes(attributes)
    if (errorType !== undefined) fail(span, errorType)
    end(at)
  }

  return {
    context,
    recordsContent: false,
    startTool: ({ callId, tool }, atMs) =>
      trace.setSpan(context, (tools.get(callId) ?? openTool(callId, tool, atMs)).span),
    addWait(wait, atMs) {
      const at = wait.settledAt === undefined ? atMs : Date.parse(wait.settledAt)
      start(toWaitSpan(wait), Date.parse(wait.createdAt)).end(at)
    },
    answered: (answer) => void answers.push(answer),
    add(event) {
      const at = Date.parse(event.timestamp)
      const callId = text(event.data['call_id']) ?? ''
      if (event.type === 'model.completed') addModel(event, at)
      else if (event.type === 'tool.called') callTool(event, callId, at)
      else if (event.type === 'tool.completed') endTool(event, callId, at)
      else if (event.type === 'agent.completed' || event.type === 'graph.completed') endRun(event, at)
      else span.addEvent(event.type, {}, at)
    },
    leave() {
      span.setAttribute('homeward.run.is_open', true)
      end()
    },
  }
}

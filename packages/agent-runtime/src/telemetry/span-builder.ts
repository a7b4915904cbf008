import type { Context, Span } from '@opentelemetry/api'
import { createActiveSpan, parseTraceparent, type ActiveSpan } from './active-span.ts'
import type { Instrumentation, TracedRun, TracedWork } from '../ports/instrumentation.ts'
import type { RuntimeEvent } from '../journal/runtime-events.ts'
import { startRunSpan, type RunSpan, type SpanMaker } from './run-span.ts'
import { toFunctionSpan, toTaskSpan } from './span-attributes.ts'

/** Most runs whose spans are open at a time: those that wait may do so for days. */
const maxRuns = 10_000

/** Kinds of events that spans are made of. */
export const spanEventTypes = [
  'agent.completed',
  'graph.completed',
  'model.completed',
  'tool.called',
  'tool.completed',
  'approval.requested',
  'approval.resolved',
] as const

/** What {@link createSpanBuilder} is built from. */
interface SpanBuilderOptions extends SpanMaker {
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /** Whether prompts and answers are recorded. */
  readonly recordsContent: () => Promise<boolean>
}

/** Makes spans of the runs and tasks of one runtime. */
interface SpanBuilder extends Instrumentation {
  add(event: RuntimeEvent): void
  /** Ends the spans that are still open, marked as such. */
  end(): void
}

/** Builds a span builder. */
export function createSpanBuilder(options: SpanBuilderOptions): SpanBuilder {
  const { api, now, recordsContent } = options
  const { ROOT_CONTEXT, trace } = api
  /** Those that have not ended, by run; the oldest first. */
  const runs = new Map<string, RunSpan>()
  const active = createActiveSpan(api)
  const insideOwn = createOwnSpans(options, active)

  function parentOf({ traceparent, parentRunId = '' }: TracedRun): Context {
    const remote = traceparent === undefined ? undefined : parseTraceparent(traceparent)
    if (!remote) return runs.get(parentRunId)?.context ?? ROOT_CONTEXT
    // the very context, with all that the app has put into it
    if (active.current() && active.capture() === traceparent) return api.context.active()
    return trace.setSpanContext(ROOT_CONTEXT, remote)
  }

  function runOf(run: TracedRun): RunSpan {
    const known = runs.get(run.id)
    if (known) return known
    const span = startRunSpan(options, run, parentOf(run))
    runs.set(run.id, span)
    const [oldest] = runs
    if (runs.size > maxRuns && oldest) leave(oldest[0])
    return span
  }

  function leave(runId: string): void {
    runs.get(runId)?.leave()
    runs.delete(runId)
  }

  async function insideRun<T>(run: TracedRun, work: () => Promise<T>): Promise<T> {
    const span = runOf(run)
    span.recordsContent = await recordsContent()
    const result = await active.within(span.context, work)
    if (isElsewhere(result)) leave(run.id)
    return result
  }

  function insideRequest<T>(traceparent: string, work: () => Promise<T>): Promise<T> {
    const remote = active.current() ? undefined : parseTraceparent(traceparent)
    return remote ? active.within(trace.setSpanContext(api.context.active(), remote), work) : work()
  }

  return {
    capture: active.capture,
    async inside(traced, work) {
      if (traced.kind === 'request') return insideRequest(traced.traceparent, work)
      if (traced.kind === 'run') return insideRun(traced.run, work)
      if (traced.kind === 'tool') return active.within(runOf(traced.run).startTool(traced, now()), work)
      return insideOwn(traced, traced.kind === 'task' ? ROOT_CONTEXT : runOf(traced.run).context, work)
    },
    waited: (runId, wait) => runs.get(runId)?.addWait(wait, now()),
    answered(runId, answer) {
      const run = runs.get(runId)
      if (run?.recordsContent === true) run.answered(answer())
    },
    add(event) {
      const { runId = '', type } = event
      runs.get(runId)?.add(event)
      if (type === 'agent.completed' || type === 'graph.completed') runs.delete(runId)
    },
    end() {
      for (const run of runs.values()) run.leave()
      runs.clear()
    },
  }
}

type OwnWork = Extract<TracedWork, { kind: 'task' | 'function' }>

/** Builds what does work in a span of its own, which fails if the result of the work says so. */
function createOwnSpans({ api, tracer, now }: SpanBuilderOptions, active: ActiveSpan) {
  const { SpanKind, SpanStatusCode, trace } = api

  function start(traced: OwnWork, context: Context): Span {
    const startTime = now()
    if (traced.kind === 'function') {
      const { name, attributes } = toFunctionSpan(traced)
      return tracer.startSpan(name, { attributes, startTime }, context)
    }
    const { name, attributes } = toTaskSpan(traced)
    const creator = traced.traceparent === undefined ? undefined : parseTraceparent(traced.traceparent)
    const links = creator ? [{ context: creator }] : []
    return tracer.startSpan(name, { kind: SpanKind.CONSUMER, attributes, links, startTime }, context)
  }

  function fail(span: Span, errorType: string): void {
    span.setAttribute('error.type', errorType)
    span.setStatus({ code: SpanStatusCode.ERROR })
  }

  return async <T>(traced: OwnWork, context: Context, work: () => Promise<T>): Promise<T> => {
    const span = start(traced, context)
    try {
      const result = await active.within(trace.setSpan(context, span), work)
      const code = codeOf(result)
      if (code !== undefined) fail(span, code)
      return result
    } catch (error) {
      fail(span, '_OTHER')
      throw error
    } finally {
      span.end(now())
    }
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

/** Whether a run goes on in another process, or later. */
const isElsewhere = (end: unknown) =>
  isObject(end) && (end['kind'] === 'lost' || end['kind'] === 'given-back')

/** How work failed that rejects for nothing: a function of a node, or an attempt of a task. */
function codeOf(result: unknown): string | undefined {
  if (!isObject(result)) return undefined
  const failure = result['kind'] === 'failed' ? result['failure'] : result
  const code = isObject(failure) ? failure['code'] : undefined
  return typeof code === 'string' ? code : undefined
}

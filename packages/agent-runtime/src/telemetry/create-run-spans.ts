import type * as OpenTelemetry from '@opentelemetry/api'
import type { Tracer } from '@opentelemetry/api'
import type { JournalEvent } from '@homeward/contract/agent-platform'
import type { AgentRuntime } from '../runtime/runtime.ts'
import { RuntimeError } from '../ports/runtime-error.ts'
import type { RunTracer } from './run-tracer.ts'
import { createSpanBuilder, spanEventTypes, type SpanBuilder } from './span-builder.ts'

/** How {@link createRunSpans} works. */
export interface RunSpansOptions {
  /** Whose runs become spans. */
  readonly runtime: Pick<AgentRuntime, 'logs'>
  /** Makes the spans. @default the global tracer of `@opentelemetry/api` */
  readonly tracer?: RunTracer
  /** Number of the journal's event to begin behind. @default only what happens from now on */
  readonly since?: number
  /** Told when the journal cannot be read any more; then no more spans are made. @default ignored */
  readonly onError?: (error: unknown) => void
}

/** Spans under way. */
export interface RunSpans {
  /**
   * Ends the spans: what the journal holds by now is still made into some; those of runs that are under way are ended
   * and marked with `homeward.run.is_open`.
   */
  close(): Promise<void>
}

/**
 * Spans of OpenTelemetry as one more view of the journal (A14), by its GenAI conventions: `invoke_agent`,
 * `invoke_workflow` for graphs, `chat`, `execute_tool`. A run that another one asked for is its child. Times are those of
 * the events, so it does not matter when they are read. No task, no argument, no result and no error text is in a span.
 *
 * In one process only, where several share a store: each of them sees the runs of all.
 *
 * @throws {RuntimeError} `validation_error` when `@opentelemetry/api` is not installed.
 * @example
 * const spans = await createRunSpans({ runtime })
 */
export async function createRunSpans(options: RunSpansOptions): Promise<RunSpans> {
  const { runtime, onError } = options
  const api = await loadApi()
  // what a host gives is made for the same package
  const tracer = (options.tracer as Tracer | undefined) ?? api.trace.getTracer('@homeward/agent-runtime')
  const { logs } = runtime
  const builder = createSpanBuilder({
    api,
    tracer,
    async findStart(runId) {
      const types = ['agent.started', 'graph.started']
      return (await logs.list({ runId, types, since: 0, limit: 1 }))[0]
    },
  })
  const closing = new AbortController()
  let position = options.since ?? (await logs.lastSeq())
  const following = follow()

  async function take(events: AsyncIterable<JournalEvent> | Iterable<JournalEvent>): Promise<void> {
    for await (const event of events) {
      await builder.add(event)
      position = event.seq
    }
  }

  async function follow(): Promise<void> {
    try {
      await take(logs.follow({ types: spanEventTypes, since: position }, closing.signal))
    } catch (error) {
      if (!closing.signal.aborted) onError?.(error)
    }
  }

  async function readRest(): Promise<void> {
    for (;;) {
      const page = await logs.list({ types: spanEventTypes, since: position, limit: 1000 })
      await take(page)
      if (page.length < 1000) return
    }
  }

  return { close: once(async () => finish(closing, following, readRest, builder, onError)) }
}

async function finish(
  closing: AbortController,
  following: Promise<void>,
  readRest: () => Promise<void>,
  builder: SpanBuilder,
  onError: RunSpansOptions['onError'],
): Promise<void> {
  closing.abort()
  await following
  try {
    await readRest()
  } catch (error) {
    // a runtime that was closed before has given everything already
    if (!(RuntimeError.is(error) && error.code === 'closed')) onError?.(error)
  }
  builder.end()
}

function once(close: () => Promise<void>): () => Promise<void> {
  let closed: Promise<void> | undefined
  return () => (closed ??= close())
}

async function loadApi(): Promise<typeof OpenTelemetry> {
  try {
    return await import('@opentelemetry/api')
  } catch (cause) {
    throw new RuntimeError(
      'validation_error',
      'Recording spans of runs failed: the package "@opentelemetry/api" is not installed. Run "npm install @opentelemetry/api".',
      { cause },
    )
  }
}

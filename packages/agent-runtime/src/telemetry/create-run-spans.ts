import type * as OpenTelemetry from '@opentelemetry/api'
import type { Tracer } from '@opentelemetry/api'
import { tracingOf } from '../ports/instrumentation.ts'
import { RuntimeError } from '../ports/runtime-error.ts'
import type { AgentRuntime } from '../runtime/runtime.ts'
import type { RunTracer } from './run-tracer.ts'
import { createSpanBuilder, spanEventTypes } from './span-builder.ts'

/** Options of {@link createRunSpans}. */
export interface RunSpansOptions {
  /** Runtime whose runs become spans. */
  readonly runtime: Pick<AgentRuntime, 'events' | 'settings'>
  /** Creates the spans. @default the global tracer of `@opentelemetry/api` */
  readonly tracer?: RunTracer
  /**
   * Whether to record prompts and answers without secrets, as `gen_ai.input.messages`, `gen_ai.output.messages` and
   * `gen_ai.system_instructions` of model call spans.
   *
   * @default the setting `telemetry_content`, by default false
   */
  readonly content?: boolean
}

/** Active span creation. */
export interface RunSpans {
  /** Stops creating spans. Spans of active or waiting runs are ended and marked with `homeward.run.is_open`. */
  close(): Promise<void>
}

/**
 * Creates OpenTelemetry spans for a runtime, with the GenAI conventions.
 *
 * The spans are `invoke_agent`, `invoke_workflow` for graphs, `chat` and `execute_tool`, and also `invoke_function`
 * for function nodes, `task` and `wait`. Times are those of the journal.
 *
 * The parent of a run is the span that was active at its start, or the `traceparent` header of its request; a task
 * links to it. Tools and functions run inside their spans, so their own spans are children. Spans contain no task,
 * argument, result or error text, unless `content` is set.
 *
 * Call it in each process before the runtime starts to work: each process creates the spans of its own runs.
 *
 * @throws {RuntimeError} `validation_error` if `@opentelemetry/api` is not installed; `conflict` if the runtime
 * already has spans.
 * @example
 * const spans = await createRunSpans({ runtime })
 */
export async function createRunSpans(options: RunSpansOptions): Promise<RunSpans> {
  const { events, settings } = options.runtime
  const api = await loadApi()
  const tracing = tracingOf(events)
  if (tracing.current)
    throw new RuntimeError(
      'conflict',
      'Recording spans of runs failed: the runtime has spans already. Close them first.',
    )
  const recordsContent = async () =>
    options.content ?? (await settings.read().catch(() => undefined))?.telemetry_content === 'on'
  const builder = createSpanBuilder({
    api,
    // what a host gives is made for the same package
    tracer: (options.tracer as Tracer | undefined) ?? api.trace.getTracer('@homeward/agent-runtime'),
    now: () => tracing.now(),
    recordsContent,
  })
  tracing.current = builder
  for (const type of spanEventTypes) events.on(type, builder.add)
  let isClosed = false
  return {
    async close() {
      if (isClosed) return
      isClosed = true
      tracing.current = undefined
      for (const type of spanEventTypes) events.off(type, builder.add)
      builder.end()
    },
  }
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

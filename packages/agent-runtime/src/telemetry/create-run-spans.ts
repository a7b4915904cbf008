import type * as OpenTelemetry from '@opentelemetry/api'
import type { Tracer } from '@opentelemetry/api'
import { tracingOf } from '../ports/instrumentation.ts'
import { RuntimeError } from '../ports/runtime-error.ts'
import type { AgentRuntime } from '../runtime/runtime.ts'
import type { RunTracer } from './run-tracer.ts'
import { createSpanBuilder, spanEventTypes } from './span-builder.ts'

/** How {@link createRunSpans} works. */
export interface RunSpansOptions {
  /** Whose runs become spans. */
  readonly runtime: Pick<AgentRuntime, 'events' | 'settings'>
  /** Makes the spans. @default the global tracer of `@opentelemetry/api` */
  readonly tracer?: RunTracer
  /**
   * Whether prompts and answers are recorded, without secrets: `gen_ai.input.messages`, `gen_ai.output.messages` and
   * `gen_ai.system_instructions` of the spans of model calls.
   *
   * @default the setting `telemetry_content`, which is off
   */
  readonly content?: boolean
}

/** Spans under way. */
export interface RunSpans {
  /** Makes no more spans. Those of runs that are under way or wait are ended and marked with `homeward.run.is_open`. */
  close(): Promise<void>
}

/**
 * Makes OpenTelemetry spans of what a runtime does, by the GenAI conventions: `invoke_agent`, `invoke_workflow` for graphs, `chat`,
 * `execute_tool`; and `invoke_function` for function nodes, `task`, `wait`. Times are those of the journal.
 *
 * A run belongs to the span that was active when it was started, or to the header `traceparent` of its request; a task links to it. Tools
 * and functions run inside their spans, so spans that they make are children. No task, argument, result or error text is in a span,
 * unless `content` asks for it.
 *
 * Call it before the runtime starts to work, in each process: each makes the spans of the runs that it works on.
 *
 * @throws {RuntimeError} `validation_error` if `@opentelemetry/api` is not installed; `conflict` if the runtime has spans already.
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

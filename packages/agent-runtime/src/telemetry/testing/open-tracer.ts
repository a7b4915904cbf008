import { AsyncLocalStorage } from 'node:async_hooks'
import { ROOT_CONTEXT, type Context, type ContextManager } from '@opentelemetry/api'
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
  type ReadableSpan,
} from '@opentelemetry/sdk-trace-base'

/** A real tracer whose spans stay in memory. */
export function openTracer() {
  const exporter = new InMemorySpanExporter()
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
  return {
    tracer: provider.getTracer('test'),
    finished: () => exporter.getFinishedSpans(),
    /** What was exported, by name. */
    exported: () => new Map(exporter.getFinishedSpans().map((span) => [span.name, span])),
  }
}

export const parentOf = (span: ReadableSpan | undefined) => span?.parentSpanContext?.spanId
export const idOf = (span: ReadableSpan | undefined) => span?.spanContext().spanId
export const traceOf = (span: ReadableSpan | undefined) => span?.spanContext().traceId

/** Follows the active context through asynchronous calls, as those of OpenTelemetry's SDK for Node do. */
export function createContextManager(): ContextManager {
  const contexts = new AsyncLocalStorage<Context>()
  const manager: ContextManager = {
    active: () => contexts.getStore() ?? ROOT_CONTEXT,
    with: (context, work, self, ...args) => contexts.run(context, () => work.apply(self as never, args)),
    bind: (_, target) => target,
    enable: () => manager,
    disable: () => manager,
  }
  return manager
}

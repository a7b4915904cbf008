import { AsyncLocalStorage } from 'node:async_hooks'
import type * as OpenTelemetry from '@opentelemetry/api'
import type { Context, SpanContext } from '@opentelemetry/api'

const shape = /^(?!ff)[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(?:-|$)/

/** Reads the header `traceparent` of W3C Trace Context. @returns undefined for an invalid one, as the standard says */
export function parseTraceparent(text: string): SpanContext | undefined {
  const [, traceId, spanId, flags = ''] = shape.exec(text.trim()) ?? []
  if (traceId === undefined || spanId === undefined) return undefined
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true }
}

/** Writes a span as the header `traceparent`. */
const writeTraceparent = ({ traceId, spanId, traceFlags }: SpanContext): string =>
  `00-${traceId}-${spanId}-0${traceFlags & 1}`

/** The span that work goes on in. */
export interface ActiveSpan {
  /** That of the app's context manager; undefined without one. */
  current(): SpanContext | undefined
  /** As the header `traceparent` has it. */
  capture(): string | undefined
  /** Does work in the span of a context. */
  within<T>(context: Context, work: () => T): T
}

/** Follows the active span, also where the app has registered no context manager. */
export function createActiveSpan({
  context: contexts,
  isSpanContextValid,
  trace,
}: typeof OpenTelemetry): ActiveSpan {
  const spans = new AsyncLocalStorage<SpanContext | undefined>()
  function current(): SpanContext | undefined {
    const span = trace.getSpanContext(contexts.active())
    return span && isSpanContextValid(span) ? span : undefined
  }
  return {
    current,
    capture() {
      const span = current() ?? spans.getStore()
      return span && writeTraceparent(span)
    },
    within: (context, work) => spans.run(trace.getSpanContext(context), () => contexts.with(context, work)),
  }
}

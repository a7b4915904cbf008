import type { Trace } from '@homeward/contract/handler'
import type { Tracer } from '@opentelemetry/api'

/**
 * Spans of calls by OpenTelemetry, named and attributed by its HTTP conventions. Without a tracer, the global one of
 * `@opentelemetry/api` is used when that package is installed; without the package there are no spans.
 */
export function createTrace(tracer: Tracer | undefined): Trace {
  let current = tracer
  if (!current) {
    void import('@opentelemetry/api').then(
      (api) => (current = api.trace.getTracer('@homeward/cloud-core')),
      () => {}, // not installed: an optional peer
    )
  }

  return (call, run) => {
    if (!current) return run()
    return current.startActiveSpan(`${call.method} ${call.route}`, { kind: 1 /* SERVER */ }, async (span) => {
      span.setAttribute('http.request.method', call.method)
      span.setAttribute('http.route', call.route)
      span.setAttribute('homeward.operation', call.operationId)
      span.setAttribute('homeward.request_id', call.requestId)
      try {
        return await run()
      } catch (error) {
        span.setStatus({ code: 2 /* ERROR */, message: error instanceof Error ? error.name : 'error' })
        throw error
      } finally {
        span.end()
      }
    })
  }
}

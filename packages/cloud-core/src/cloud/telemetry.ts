import { HttpError, type Trace } from '@homeward/contract/handler'
import type * as OpenTelemetry from '@opentelemetry/api'
import type { Tracer, TracerSpan } from '../ports/tracer.ts'

/**
 * Spans of calls by OpenTelemetry, named and attributed by its HTTP conventions. Without a tracer, the global one of
 * `@opentelemetry/api` is used when that package is installed; without the package there are no spans.
 */
export function createTrace(tracer: Tracer | undefined): Trace {
  let find = () => tracer
  if (!tracer) {
    void loadApi().then((api) => {
      if (api) find = createTracerLookup(api)
    })
  }

  return (call, run) => {
    const current = find()
    if (!current) return run()
    return current.startActiveSpan(`${call.method} ${call.route}`, { kind: 1 /* SERVER */ }, async (span) => {
      span.setAttribute('http.request.method', call.method)
      span.setAttribute('http.route', call.route)
      span.setAttribute('homeward.operation', call.operationId)
      span.setAttribute('homeward.request_id', call.requestId)
      try {
        const reply = await run()
        span.setAttribute('http.response.status_code', reply.status)
        return reply
      } catch (error) {
        noteFailure(span, error)
        throw error
      } finally {
        span.end()
      }
    })
  }
}

/**
 * What a caller did wrong is no error of a server's span. Of what the server did wrong only the kind is noted: a message
 * that came from a host's own code may hold anything.
 */
function noteFailure(span: TracerSpan, error: unknown): void {
  const status = error instanceof HttpError ? error.status : 500
  span.setAttribute('http.response.status_code', status)
  if (status < 500) return
  const kind = error instanceof Error ? error.name : 'error'
  span.setAttribute('error.type', kind)
  span.setStatus({ code: 2 /* ERROR */, message: kind })
}

async function loadApi(): Promise<typeof OpenTelemetry | undefined> {
  // in a `try`, by which bundlers know a package that may be missing
  try {
    return await import('@opentelemetry/api')
  } catch {
    return undefined // not installed: an optional peer
  }
}

/** The host's tracer; undefined while no provider is registered: spans that go nowhere would cost time all the same. */
function createTracerLookup({ trace, ProxyTracerProvider }: typeof OpenTelemetry): () => Tracer | undefined {
  const name = '@homeward/cloud-core'
  let found: Tracer | undefined
  return () => {
    if (found) return found
    const provider = trace.getTracerProvider()
    found =
      provider instanceof ProxyTracerProvider ? provider.getDelegateTracer(name) : provider.getTracer(name)
    return found
  }
}

/** The used part of a span. OpenTelemetry's `Span` fits. */
export interface TracerSpan {
  /** Notes a particular. Never a key or a body. */
  setAttribute(key: string, value: string | number): unknown
  /** @param status.code 2 is an error, as OpenTelemetry counts. */
  setStatus(status: { code: number; message?: string }): unknown
  /** The call is over. */
  end(): void
}

/**
 * Makes spans. The `Tracer` of `@opentelemetry/api` is one; described here, so that the types need no package that may
 * not be installed.
 */
export interface Tracer {
  /** Runs `work` with a span that is the parent of those made in it. `kind` 1 is a server's span. */
  startActiveSpan<T>(name: string, options: { kind?: number }, work: (span: TracerSpan) => T): T
}

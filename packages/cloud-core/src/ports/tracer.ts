/** The used part of a span. OpenTelemetry's `Span` matches it. */
export interface TracerSpan {
  /** Sets an attribute. Never a key or a body. */
  setAttribute(key: string, value: string | number): unknown
  /** Sets the status. @param status.code 2 is an error, as in OpenTelemetry. */
  setStatus(status: { code: number; message?: string }): unknown
  /** Ends the span. */
  end(): void
}

/** Creates spans, like the `Tracer` of `@opentelemetry/api`. Defined here because that package is optional. */
export interface Tracer {
  /** Runs `work` with a span that becomes the parent of inner spans. `kind` 1 is a server span. */
  startActiveSpan<T>(name: string, options: { kind?: number }, work: (span: TracerSpan) => T): T
}

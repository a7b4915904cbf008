/**
 * Makes spans. The `Tracer` of `@opentelemetry/api` is one; described here, so that the types need no package that may not
 * be there.
 */
export interface RunTracer {
  /** Starts a span, with the options and in the context of `@opentelemetry/api`. */
  startSpan(name: string, options?: object, context?: object): object
}

/** Creates spans, like the `Tracer` of `@opentelemetry/api`. Defined here because that package is optional. */
export interface RunTracer {
  /** Starts a span, with the options and in the context of `@opentelemetry/api`. */
  startSpan(name: string, options?: object, context?: object): object
}

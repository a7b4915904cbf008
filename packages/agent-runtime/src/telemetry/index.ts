export { createRunSpans, type RunSpans, type RunSpansOptions } from './create-run-spans.ts'
export type { RunTracer } from './run-tracer.ts'

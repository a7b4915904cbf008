export { createRunSpans, type RunSpans, type RunSpansOptions } from './create-run-spans.ts'
export { createRunMetrics, type RunMetrics, type RunMetricsOptions } from './create-run-metrics.ts'
export type { RunTracer } from './run-tracer.ts'

export { createRunSpans, type RunSpans, type RunSpansOptions } from './create-run-spans.ts'

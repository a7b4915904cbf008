export { respondWithMetrics } from './respond-with-metrics.ts'
export { isBasePath, toBasePath } from './fetch-handler.ts'
export { createAccessGuard, type AccessGuardOptions } from './access-guard.ts'
export { createHandler, type Handler, type Respond } from './create-handler.ts'
export { describeIssues, describeIssue } from './describe-issues.ts'
export { toFetch, type FetchContext, type FetchHandler } from './fetch-handler.ts'
export type {
  CompletedCall,
  AuthenticatorsOf,
  Call,
  FailureContext,
  HandlerOptions,
  HandlerReply,
  HandlersOf,
  Trace,
} from './handler-options.ts'
export {
  HttpError,
  payloadTooLarge,
  rateLimited,
  unsupportedMediaType,
  validationError,
  type ErrorBody,
} from './http-error.ts'
export {
  createRequestMeter,
  secondsBuckets,
  type InstrumentOptions,
  type Meter,
  type MeterAttributes,
  type ObservableInstrument,
  type Observed,
} from './meter.ts'
export type { NodeRequest, NodeResponse } from './node-exchange.ts'
export { toNode, type NodeHandler } from './node-handler.ts'
export { readBoundedPage, type BoundedPage, type PagePart } from './read-bounded-page.ts'
export { checkContentLength, readBytes } from './parse-input.ts'
export { isForm } from './read-body-form.ts'
export type { PlainReply } from './plain-reply.ts'
export { safeHook } from './safe-hook.ts'
export type { RequestView } from './request-view.ts'

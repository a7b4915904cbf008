import {
  platformErrorReplies,
  type GraphRunResult,
  type PlatformError,
  type RunResult,
} from '@homeward/contract/agent-platform'
import { HttpError, type FailureContext } from '@homeward/contract/handler'
import { brokeOff } from '../runs/graphs/graph-driver.ts'
import { RuntimeError, type RuntimeErrorCode } from '../ports/runtime-error.ts'

const statuses: Readonly<Record<RuntimeErrorCode, number>> = {
  validation_error: 400,
  model_not_configured: 400,
  unauthorized: 401,
  forbidden: 403,
  guard_refused: 403,
  license_required: 403,
  not_found: 404,
  conflict: 409,
  cancelled: 409,
  payload_too_large: 413,
  rate_limited: 429,
  invalid_skill: 422,
  run_error: 500,
  guard_failed: 500,
  effect_uncertain: 500,
  budget_exceeded: 500,
  budget_unknown: 500,
  storage_error: 500,
  model_error: 502,
  output_invalid: 502,
  store_unavailable: 502,
  channel_error: 502,
  closed: 503,
  timeout: 504,
}

/** A run that failed: the answer holds its result besides the error (A2, A4). */
export class FailedRun extends HttpError {
  readonly result: RunResult | GraphRunResult

  constructor(status: number, result: RunResult | GraphRunResult) {
    super(status, { error: result.error ?? 'The run failed', code: result.code ?? 'run_error' })
    this.result = result
  }
}

/** Statuses of runs that failed through no fault of the platform. */
const failureStatus: Readonly<Record<string, number>> = { model_error: 502, guard_refused: 403 }

/**
 * The answer to a run that has stopped: itself, unless it failed. A limit or a cancellation is an outcome that
 * `stop_reason` tells, but for the longest duration, which is an error of its own (A2).
 */
export function toRunReply(result: RunResult): RunResult {
  if (result.success) return result
  // a limit may have cut the output off: that is no result either
  if (result.code === 'output_invalid') throw new FailedRun(502, result)
  if (result.stop_reason === 'max_runtime') throw new FailedRun(504, result)
  if (result.stop_reason !== 'error') return result
  throw new FailedRun(failureStatus[result.code ?? ''] ?? 500, result)
}

/**
 * The answer to a graph's run that has stopped: itself, also when nodes failed, as it tells of every node (A10). Only a
 * run that broke off, through no node's fault, is an error.
 */
export function toGraphReply(result: GraphRunResult): GraphRunResult {
  if (brokeOff(result)) throw new FailedRun(500, result)
  return result
}

/** A failure as the edge answers it. What is no {@link RuntimeError} stays as it is, and becomes a 500. */
export function toHttpError(error: unknown): unknown {
  if (!RuntimeError.is(error)) return error
  const { code, message, details } = error
  const status = code === 'license_required' && details?.['status'] === 401 ? 401 : statuses[code]
  const body = { error: titleOf(status), message, code, ...(details && { details }) }
  const seconds = details?.['retry_after_seconds']
  const headers = typeof seconds === 'number' ? { 'retry-after': String(seconds) } : undefined
  return Object.assign(new HttpError(status, body, headers), { cause: error })
}

/** Body of an error answer (A2). */
export function toErrorBody(error: HttpError, { requestId }: FailureContext): object {
  if (error instanceof FailedRun) {
    const { success, ...result } = error.result
    return { success, ...result, error: error.body.error, code: error.body.code, request_id: requestId }
  }
  const { message, details, code = codeOf(error.status) } = error.body
  const body: PlatformError = {
    error: error.body.error,
    code,
    ...(message !== undefined && { message }),
    ...(details && { details }),
    request_id: requestId,
  }
  return body
}

const known: Readonly<Record<number, { readonly code?: string; readonly error: string }>> =
  platformErrorReplies

const codeOf = (status: number) => known[status]?.code ?? 'error'

/** Title of the errors of a status (A2). */
export const titleOf = (status: number) => known[status]?.error ?? 'Failed to process request'

import {
  platformErrorReplies,
  type GraphRunResult,
  type PlatformError,
  type RunResult,
} from '@homeward/contract/agent-platform'
import { HttpError, type FailureContext, safeHook, type RequestView } from '@homeward/contract/handler'
import { brokeOff } from '../runs/graphs/graph-driver.ts'
import { RuntimeError, type RuntimeErrorCode } from '../ports/runtime-error.ts'
import type { AgentRuntime } from '../runtime/runtime.ts'

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

/** Who is told of failures that are not a caller's: the host's own function, or else the runtime's logger. */
export function toErrorListener({
  runtime,
  onError,
}: {
  readonly runtime: Pick<AgentRuntime, 'logger'>
  readonly onError?: (error: unknown) => void
}): (error: unknown) => void {
  return safeHook(
    onError ??
      ((error) => runtime.logger.error('Handling a request failed', { error: describeError(error) })),
  )
}

/** With the place that it came from: whoever reads it has to mend something. */
const describeError = (error: unknown) =>
  error instanceof Error ? (error.stack ?? error.message) : String(error)

/** The same handlers, whose errors are those of the interface. */
export function withDocumentedErrors<Handlers extends object>(
  handlers: Handlers,
  onError: (error: unknown) => void,
): Handlers {
  const toError = (request: RequestView, error: unknown) =>
    isGone(request, error) ? callerGone() : toDocumented(error, onError)
  const settle = async (reply: unknown, request: RequestView) => {
    try {
      return await reply
    } catch (error) {
      throw toError(request, error)
    }
  }
  const wrapped = Object.entries(handlers).map(([id, handle]) => {
    // each takes the call of its own operation; all calls have a request
    const call = handle as (call: { readonly request: RequestView }) => unknown
    return [
      id,
      // not async: while a handler works, nothing else holds the body of its call
      (given: { readonly request: RequestView }) => {
        try {
          return settle(call(given), given.request)
        } catch (error) {
          throw toError(given.request, error)
        }
      },
    ] as const
  })
  return Object.fromEntries(wrapped) as unknown as Handlers // the same keys, and functions that give the same
}

/** The caller gets the message; what caused it is for the operator. */
export function toDocumented(error: unknown, onError: (error: unknown) => void): unknown {
  const known = toHttpError(error)
  if (known !== error && known instanceof HttpError && known.status >= 500) onError(error)
  return known
}

/** Whether a call was given up because its caller went away: nobody reads the answer, and nothing is wrong here. */
function isGone({ signal }: RequestView, error: unknown): boolean {
  return signal.aborted && error === signal.reason
}

const callerGone = () => new HttpError(499, { error: 'The client closed the connection', code: 'cancelled' })

const brand = Symbol.for('@homeward/agent-runtime/RuntimeError')

/**
 * Reason for a failure: the documented error codes of the HTTP API.
 *
 * - `validation_error`: an input is invalid. The message names it.
 * - `unauthorized`: the caller is not authenticated, or not the expected caller.
 * - `forbidden`: the action is not allowed, for example because agents call each other too deeply.
 * - `not_found`: nothing has this id.
 * - `conflict`: the request contradicts the stored state: the id exists, the decision was made, or another skill has
 *   this tool.
 * - `rate_limited`: too many attempts. Wait for `details.retry_after_seconds`.
 * - `payload_too_large`: the input is larger than the limit.
 * - `invalid_skill`: a skill breaks a rule of its format. The message names the file and the rule.
 * - `license_required`: the skill store responded with 401 or 403, see `details.status`.
 * - `store_unavailable`: the skill store failed or cannot be reached.
 * - `channel_error`: a messaging platform rejected the request, failed, or cannot be reached.
 * - `model_not_configured`: the key or the package of the model is missing. The message names both.
 * - `model_error`: the model's provider failed, after all retries and fallback models.
 * - `output_invalid`: the model's output does not match the run's `output_schema`, also after two corrections.
 * - `guard_refused`: a guard of your app rejected the input or the output of a run. The message contains the reason.
 * - `guard_failed`: a guard of your app threw an error, took too long or returned an invalid decision, so the value
 *   was withheld.
 * - `run_error`: a run or a tool failed in another way.
 * - `effect_uncertain`: a tool call was running during a crash, and a repeat could do harm. A person has to decide.
 * - `budget_exceeded`: the next model call would exceed a budget. The message names the budget.
 * - `budget_unknown`: the next model call was not made, because the model has no price and the agent has a budget.
 * - `timeout`: an operation exceeded its time limit.
 * - `cancelled`: the run or the call was canceled.
 * - `storage_error`: the database or a file cannot be read or written.
 * - `closed`: the runtime or the store was closed.
 */
export type RuntimeErrorCode =
  | 'validation_error'
  | 'unauthorized'
  | 'forbidden'
  | 'not_found'
  | 'conflict'
  | 'rate_limited'
  | 'payload_too_large'
  | 'invalid_skill'
  | 'license_required'
  | 'store_unavailable'
  | 'channel_error'
  | 'model_not_configured'
  | 'model_error'
  | 'output_invalid'
  | 'guard_refused'
  | 'guard_failed'
  | 'run_error'
  | 'effect_uncertain'
  | 'budget_exceeded'
  | 'budget_unknown'
  | 'timeout'
  | 'cancelled'
  | 'storage_error'
  | 'closed'

/** Details of a {@link RuntimeError}. */
export interface RuntimeErrorOptions {
  /** The original error. @default no cause */
  readonly cause?: unknown
  /** Whether the same call may succeed later without a change. @default false */
  readonly retryable?: boolean
  /** Machine-readable details for the error body, without secrets. */
  readonly details?: Readonly<Record<string, unknown>>
}

/**
 * The only error that this package throws on purpose.
 *
 * Use {@link code} for decisions; `message` is for people and may change in any release. The original error, if any,
 * is in `cause`. Contains no keys, prompts or file contents.
 */
export class RuntimeError extends Error {
  override readonly name = 'RuntimeError'
  readonly [brand] = true
  readonly code: RuntimeErrorCode
  /** Whether the same call may succeed later without a change by the caller. */
  readonly retryable: boolean
  readonly details: Readonly<Record<string, unknown>> | undefined

  constructor(code: RuntimeErrorCode, message: string, options: RuntimeErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.retryable = options.retryable ?? false
    this.details = options.details
  }

  /** Like `instanceof`, but also true for an error from another installed copy of this package. */
  static is(value: unknown): value is RuntimeError {
    return typeof value === 'object' && value !== null && brand in value
  }
}

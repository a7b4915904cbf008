const brand = Symbol.for('@homeward/agent-runtime/RuntimeError')

/**
 * What went wrong; the documented error codes of the REST interface (A2).
 *
 * - `validation_error`: something given is wrong; the message names it.
 * - `unauthorized`: the caller is not who it has to be.
 * - `forbidden`: it is not allowed to anybody, such as agents that call each other too deep.
 * - `not_found`: there is nothing of that id.
 * - `conflict`: it contradicts what is there: an id that is taken, a decision that was made, another skill's tool.
 * - `rate_limited`: too many tries; `details.retry_after_seconds` says how long to wait.
 * - `payload_too_large`: what was sent is larger than the limit.
 * - `invalid_skill`: a skill breaks a rule of its format; the message names the file and the rule.
 * - `license_required`: the store answered 401 or 403; `details.status` says which.
 * - `store_unavailable`: the skill store failed or cannot be reached.
 * - `channel_error`: a messaging platform refused or failed, or cannot be reached.
 * - `model_not_configured`: the model has no key, or its package is not installed; the message names both.
 * - `model_error`: the model's provider failed, after all retries and fallback models.
 * - `output_invalid`: the model's output does not match the run's `output_schema`, also after two corrections.
 * - `guard_refused`: a guard of the host did not let the input or the output of a run pass; the message says why.
 * - `guard_failed`: a guard of the host threw an error, took too long or decided nothing valid, so nothing passed.
 * - `run_error`: a run or a tool failed in another way.
 * - `effect_uncertain`: a tool call was running during a crash, and a repeat could do harm. A person has to decide.
 * - `budget_exceeded`: the next model call does not fit into a budget any more; the message names it.
 * - `budget_unknown`: what the next model call costs cannot be told, so it was not made: the model has no price.
 * - `timeout`: something took longer than its limit.
 * - `cancelled`: somebody stopped it.
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

/** Particulars of a {@link RuntimeError}. */
export interface RuntimeErrorOptions {
  /** What it was made of. @default none */
  readonly cause?: unknown
  /** Whether the same call may succeed later without a change. @default false */
  readonly retryable?: boolean
  /** Machine-readable particulars for the error's body. Holds no secret. */
  readonly details?: Readonly<Record<string, unknown>>
}

/**
 * The only error that this package throws on purpose.
 *
 * Branch on {@link code}; `message` is for people and may change in any release. The original failure, if any, is in
 * `cause`. Never holds a key, a prompt or a file's content.
 */
export class RuntimeError extends Error {
  override readonly name = 'RuntimeError'
  readonly [brand] = true
  readonly code: RuntimeErrorCode
  /** Whether the same call may succeed later without the caller changing anything. */
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

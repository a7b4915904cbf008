const brand = Symbol.for('@homeward/contract/ClientError')

/**
 * Reason for a failed call, for programs.
 *
 * - `INVALID_REQUEST`: the request could not be built, because the base URL, a parameter or a header is invalid.
 * - `UNREACHABLE`: no response, or the connection broke.
 * - `TIMEOUT`: no complete response within the time limit.
 * - `REDIRECTED`: the response is a redirect, which is not followed.
 * - `BAD_REPLY`: a success status with an undocumented body.
 * - `REPLY_TOO_LARGE`: the response was larger than `maxReplyBytes`.
 * - `HTTP`: an error status. See `status`.
 */
export type ClientErrorCode =
  | 'INVALID_REQUEST'
  | 'UNREACHABLE'
  | 'TIMEOUT'
  | 'REDIRECTED'
  | 'BAD_REPLY'
  | 'REPLY_TOO_LARGE'
  | 'HTTP'

/** Details of a {@link ClientError}. */
export interface ClientErrorDetails {
  readonly cause?: unknown
  readonly status?: number | undefined
  readonly error?: string | undefined
  readonly detail?: string | undefined
  readonly details?: Readonly<Record<string, unknown>> | undefined
  readonly retryAfterMs?: number | undefined
}

/**
 * The only error that clients of this package throw on purpose, besides the reason of an aborted signal.
 *
 * Use {@link code} for decisions; `message` is for people and may change in any release. Contains no request headers,
 * request body or credential.
 */
export class ClientError extends Error {
  override readonly name = 'ClientError'
  readonly [brand] = true
  readonly code: ClientErrorCode
  /** HTTP status of the response, if there was one. */
  readonly status: number | undefined
  /** `error` of a documented error body, at most 500 characters. */
  readonly error: string | undefined
  /** `message` of a documented error body, at most 500 characters. */
  readonly detail: string | undefined
  /** `details` of a documented error body: machine-readable and unchanged. */
  readonly details: Readonly<Record<string, unknown>> | undefined
  /** Delay that the server requested, in milliseconds, at most a day. */
  readonly retryAfterMs: number | undefined

  constructor(code: ClientErrorCode, message: string, details: ClientErrorDetails = {}) {
    super(message, details)
    this.code = code
    this.status = details.status
    this.error = details.error
    this.detail = details.detail
    this.details = details.details
    this.retryAfterMs = details.retryAfterMs
  }

  /** Like `instanceof`, but also true for an error from another installed copy of this package. */
  static is(value: unknown): value is ClientError {
    return typeof value === 'object' && value !== null && brand in value
  }
}

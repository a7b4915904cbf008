const brand = Symbol.for('@homeward/device-sdk/DeviceCloudError')

/**
 * Reason for a failure, for programs.
 *
 * - `UNREACHABLE`: no response, or the connection broke.
 * - `TIMEOUT`: no complete response within the time limit.
 * - `UNAUTHORIZED`: 401: the key or the session is missing or invalid.
 * - `RATE_LIMITED`: 429: wait for `retryAfterMs`.
 * - `REJECTED`: any other 4xx: the request is invalid.
 * - `NOT_FOUND`: 404: the resource does not exist, or belongs to somebody else.
 * - `PAYLOAD_TOO_LARGE`: 413: the body is larger than the cloud accepts.
 * - `SERVER_FAILED`: 408, 425 or 5xx.
 * - `BAD_REPLY`: a success status with an undocumented or too large body.
 * - `REDIRECTED`: the response is a redirect, which is not followed, so that no key goes to another address.
 * - `ENROLLMENT_DENIED`: a user denied this device.
 * - `POLICY_DENIED`: the device's own policy denies the request.
 * - `FILE_UNAVAILABLE`: a file cannot be opened or read, or is too large.
 * - `INVALID_OPTION`: an option, the base URL or the API key is invalid, or the call is not allowed in the agent's
 *   state.
 * - `STATE_UNAVAILABLE`: the outbox, the audit log or the key source failed, is full, or is used by another process.
 */
export type DeviceCloudErrorCode =
  | 'UNREACHABLE'
  | 'TIMEOUT'
  | 'UNAUTHORIZED'
  | 'RATE_LIMITED'
  | 'REJECTED'
  | 'NOT_FOUND'
  | 'PAYLOAD_TOO_LARGE'
  | 'SERVER_FAILED'
  | 'BAD_REPLY'
  | 'REDIRECTED'
  | 'ENROLLMENT_DENIED'
  | 'POLICY_DENIED'
  | 'FILE_UNAVAILABLE'
  | 'INVALID_OPTION'
  | 'STATE_UNAVAILABLE'

const retryableCodes = new Set<DeviceCloudErrorCode>([
  'UNREACHABLE',
  'TIMEOUT',
  'RATE_LIMITED',
  'SERVER_FAILED',
  'BAD_REPLY',
  'REDIRECTED',
])

/**
 * The only error that this package throws on purpose.
 *
 * Use {@link code} for decisions; `message` is for people and may change in any release. The original error, if any,
 * is in `cause`. Contains no API key and no request body.
 */
export class DeviceCloudError extends Error {
  override readonly name = 'DeviceCloudError'
  readonly [brand] = true
  readonly code: DeviceCloudErrorCode
  /** HTTP status of the response, if there was one. */
  readonly status: number | undefined
  /** Delay that the cloud requested, in milliseconds. */
  readonly retryAfterMs: number | undefined

  constructor(
    code: DeviceCloudErrorCode,
    message: string,
    options: { cause?: unknown; status?: number | undefined; retryAfterMs?: number | undefined } = {},
  ) {
    super(message, options)
    this.code = code
    this.status = options.status
    this.retryAfterMs = options.retryAfterMs
  }

  /** Whether the same call may succeed later without a change by the caller. */
  get retryable(): boolean {
    return retryableCodes.has(this.code)
  }

  /** Like `instanceof`, but also true for an error from another installed copy of this package. */
  static is(value: unknown): value is DeviceCloudError {
    return typeof value === 'object' && value !== null && brand in value
  }
}

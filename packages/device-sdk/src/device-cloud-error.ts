const brand = Symbol.for('@homeward/device-sdk/DeviceCloudError')

/**
 * What went wrong, for programs.
 *
 * - `UNREACHABLE`: no response, or the connection broke.
 * - `TIMEOUT`: no complete response before the deadline.
 * - `UNAUTHORIZED`: 401: the key or the session is missing or invalid.
 * - `RATE_LIMITED`: 429: `retryAfterMs` is the time to wait.
 * - `REJECTED`: any other 4xx: the request itself is rejected.
 * - `NOT_FOUND`: 404: the named thing does not exist, or belongs to somebody else.
 * - `PAYLOAD_TOO_LARGE`: 413: the body is larger than the cloud accepts.
 * - `SERVER_FAILED`: 408, 425 or 5xx.
 * - `BAD_REPLY`: a success status, but the body is not the documented one or is too large.
 * - `REDIRECTED`: the response is a redirect, which is not followed, so that no key goes to another address.
 * - `ENROLLMENT_DENIED`: a user denied this device.
 * - `POLICY_DENIED`: the device's own policy denies the request.
 * - `FILE_UNAVAILABLE`: a file cannot be opened or read, or is too large.
 * - `INVALID_OPTION`: an option, the base URL or the API key is invalid, or the call does not fit the agent's state.
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
 * Branch on {@link code}; `message` is for people and may change in any release.
 * The original failure, if any, is in `cause`. Never holds an API key or a request body.
 */
export class DeviceCloudError extends Error {
  override readonly name = 'DeviceCloudError'
  readonly [brand] = true
  readonly code: DeviceCloudErrorCode
  /** HTTP status of the answer, when there was one. */
  readonly status: number | undefined
  /** How long the cloud asked to wait, in milliseconds. */
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

  /** Whether the same call may succeed later without the caller changing anything. */
  get retryable(): boolean {
    return retryableCodes.has(this.code)
  }

  /** Like `instanceof`, but also true for an error from another installed copy of this package. */
  static is(value: unknown): value is DeviceCloudError {
    return typeof value === 'object' && value !== null && brand in value
  }
}

/**
 * Why a request to another service failed, without what it said: bodies of errors repeat signatures and addresses that
 * work without a key.
 */
export class RemoteFailure extends Error {
  override readonly name = 'RemoteFailure'
  /** HTTP status; undefined when there was no answer. */
  readonly status: number | undefined
  /** Whether the same request may succeed when it is sent again soon. */
  readonly transient: boolean
  /** How long the service asked to wait, in milliseconds. */
  readonly retryAfterMs: number | undefined

  constructor(
    reason: string,
    options: { status?: number; transient?: boolean; retryAfterMs?: number | undefined } = {},
  ) {
    super(reason)
    this.status = options.status
    this.transient = options.transient ?? isTransientStatus(options.status)
    this.retryAfterMs = options.retryAfterMs
  }
}

/** Whether a status is about the moment and not about the request. */
export function isTransientStatus(status: number | undefined): boolean {
  return status === undefined || status === 408 || status === 429 || status >= 500
}

/**
 * The reason for a failed request.
 *
 * - `UNREACHABLE`: no response, or the connection broke.
 * - `TIMEOUT`: the time limit passed.
 * - `REDIRECTED`: the response redirects to another address; it was not followed.
 * - `TOO_LARGE`: the response has more bytes than the limit.
 */
export type HttpFailureCode = 'UNREACHABLE' | 'TIMEOUT' | 'REDIRECTED' | 'TOO_LARGE'

/** Details of a failed request. */
export interface HttpFailureDetails {
  readonly cause?: unknown
  readonly status?: number
  readonly target?: string
}

/**
 * A failed request. Each package turns it into its own error.
 *
 * The message contains no address, no headers and no body. `cause` is the error of the platform, which may contain
 * the address, so check before you show it.
 */
export class HttpFailure extends Error {
  override readonly name = 'HttpFailure'
  readonly code: HttpFailureCode
  /** HTTP status of a redirect. */
  readonly status: number | undefined
  /** Origin of the redirect target, if known. */
  readonly target: string | undefined

  constructor(code: HttpFailureCode, message: string, details: HttpFailureDetails = {}) {
    super(message, 'cause' in details ? { cause: details.cause } : undefined)
    this.code = code
    this.status = details.status
    this.target = details.target
  }
}

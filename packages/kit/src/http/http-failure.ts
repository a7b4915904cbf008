/**
 * Why a request failed.
 *
 * - `UNREACHABLE`: no response, or the connection broke.
 * - `TIMEOUT`: the deadline passed.
 * - `REDIRECTED`: the answer pointed to another address; it was not followed.
 * - `TOO_LARGE`: the answer has more bytes than the limit.
 */
export type HttpFailureCode = 'UNREACHABLE' | 'TIMEOUT' | 'REDIRECTED' | 'TOO_LARGE'

/** What is known about a failure. */
export interface HttpFailureDetails {
  readonly cause?: unknown
  readonly status?: number
  readonly target?: string
}

/**
 * A failed request, for the package that sent it: each makes its own error of it. The message holds neither the address nor
 * headers nor bodies. `cause` is what the platform reported, which may quote the address: whether it can be shown is for
 * the package to say.
 */
export class HttpFailure extends Error {
  override readonly name = 'HttpFailure'
  readonly code: HttpFailureCode
  /** HTTP status of a redirect. */
  readonly status: number | undefined
  /** Origin that a redirect pointed to, as far as it is known. */
  readonly target: string | undefined

  constructor(code: HttpFailureCode, message: string, details: HttpFailureDetails = {}) {
    super(message, 'cause' in details ? { cause: details.cause } : undefined)
    this.code = code
    this.status = details.status
    this.target = details.target
  }
}

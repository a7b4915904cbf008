/** Body of an error response: `error` is the name, `message` the explanation. */
export interface ErrorBody {
  readonly error: string
  readonly message?: string
  /** Code for programs, in HTTP APIs whose errors have codes. */
  readonly code?: string
  /** Machine-readable details. Contains no secrets. */
  readonly details?: Readonly<Record<string, unknown>>
}

/** An error response. Handlers throw it, and `createHandler` sends it. */
export class HttpError extends Error {
  override readonly name = 'HttpError'
  readonly status: number
  /** Documented body of the error. */
  readonly body: ErrorBody
  /** Extra headers with lowercase names. */
  readonly headers: Readonly<Record<string, string>>

  constructor(status: number, body: ErrorBody, headers: Readonly<Record<string, string>> = {}) {
    super(body.message ?? body.error)
    this.status = status
    this.body = body
    this.headers = headers
  }
}

/** Creates a 400 error `Validation error`; `message` names the field and the problem. */
export function validationError(message: string): HttpError {
  return new HttpError(400, { error: 'Validation error', message })
}

/** Creates a 413 error; `message` names the limit. */
export function payloadTooLarge(what: string, maxBytes: number): HttpError {
  return new HttpError(413, {
    error: 'Payload too large',
    message: `${what} is larger than ${maxBytes} bytes. Send less, or ask the operator to raise the limit.`,
  })
}

/** Creates a 415 error; `message` names the expected type. */
export function unsupportedMediaType(message: string): HttpError {
  return new HttpError(415, { error: 'Unsupported media type', message })
}

/** Creates a 429 error with an integer `Retry-After` of at least 1 second. */
export function rateLimited(message: string, retryAfterMs: number): HttpError {
  const seconds = Math.max(1, Math.ceil(retryAfterMs / 1000))
  return new HttpError(429, { error: 'Rate limit exceeded', message }, { 'retry-after': String(seconds) })
}

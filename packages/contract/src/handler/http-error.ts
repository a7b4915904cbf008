/** Body of an error answer: `error` names it, `message` explains it. */
export interface ErrorBody {
  readonly error: string
  readonly message?: string
  /** Names the error for programs, in interfaces that have codes. */
  readonly code?: string
  /** Particulars for programs. Holds no secret. */
  readonly details?: Readonly<Record<string, unknown>>
}

/** An answer other than success. Handlers throw it; the edge writes it. */
export class HttpError extends Error {
  override readonly name = 'HttpError'
  readonly status: number
  /** Documented body of the error. */
  readonly body: ErrorBody
  /** Extra headers, names in lower case. */
  readonly headers: Readonly<Record<string, string>>

  constructor(status: number, body: ErrorBody, headers: Readonly<Record<string, string>> = {}) {
    super(body.message ?? body.error)
    this.status = status
    this.body = body
    this.headers = headers
  }
}

/** 400 `Validation error`; `message` names the field and the problem. */
export function validationError(message: string): HttpError {
  return new HttpError(400, { error: 'Validation error', message })
}

/** 413; `message` names the limit. */
export function payloadTooLarge(what: string, maxBytes: number): HttpError {
  return new HttpError(413, {
    error: 'Payload too large',
    message: `${what} is larger than ${maxBytes} bytes. Send less, or ask the operator to raise the limit.`,
  })
}

/** 415; `message` names the expected type. */
export function unsupportedMediaType(message: string): HttpError {
  return new HttpError(415, { error: 'Unsupported media type', message })
}

/** 429 with an integer `Retry-After` of at least 1 second. */
export function rateLimited(message: string, retryAfterMs: number): HttpError {
  const seconds = Math.max(1, Math.ceil(retryAfterMs / 1000))
  return new HttpError(429, { error: 'Rate limit exceeded', message }, { 'retry-after': String(seconds) })
}

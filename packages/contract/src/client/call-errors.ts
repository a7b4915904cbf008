import { parseRetryAfter } from '@homeward/kit'
import { HttpFailure } from '@homeward/kit/http'
import { ClientError } from './client-error.ts'

/** What errors say of a call. */
export interface FailedCall {
  readonly origin: string
  /** How messages begin. */
  readonly attempt: string
  /** Takes the credential out of text that came from outside. */
  readonly hide: (text: string) => string
}

/** The error of a call that got no answer, or none that was taken. */
export function toTransportError(call: FailedCall, error: unknown, maxBytes: number): ClientError {
  const { attempt, origin, hide } = call
  const { code, cause = error, target, status } = error instanceof HttpFailure ? error : {}
  if (code === 'TIMEOUT')
    return new ClientError(
      'TIMEOUT',
      `${attempt}: ${origin} sent no complete response in time. Try again, or raise "timeoutMs".`,
    )
  if (code === 'TOO_LARGE')
    return new ClientError('REPLY_TOO_LARGE', `${attempt}: the response is larger than ${maxBytes} bytes.`)
  if (code === 'REDIRECTED') {
    const message =
      `${attempt}: ${origin} redirected to ${target ?? 'an address it did not name'}. ` +
      'Set the base URL to the final address: redirects are not followed.'
    return new ClientError('REDIRECTED', hide(message), { status })
  }
  const message = `${attempt}: ${origin} cannot be reached, or the connection broke. Check the address and the network.`
  return new ClientError('UNREACHABLE', message, { cause })
}

/** The error of an answer with an error status. @param text Its body. */
export function toHttpError(
  call: FailedCall,
  response: Response,
  text: string,
  now: () => number,
): ClientError {
  const { status, headers } = response
  const body = parseJson(text)
  const read = (key: string): unknown =>
    typeof body === 'object' && body !== null ? Reflect.get(body, key) : undefined
  const pick = (key: string) => {
    const value = read(key)
    return typeof value === 'string' ? call.hide(value).slice(0, 500) : undefined
  }
  const error = pick('error')
  const detail = pick('message')
  const details = toDetails(call, read('details'))
  const said = [error, detail].filter(Boolean).join(': ')
  const retryAfterMs = parseRetryAfter(headers.get('retry-after'), now())
  const message = `${call.attempt}: ${call.origin} responded with ${status}${said && ` (${said})`}.`
  return new ClientError('HTTP', message, { status, error, detail, details, retryAfterMs })
}

/** Longest `details` that an error keeps, as JSON: errors are kept and shown. */
const maxDetails = 100_000

/** An object of a bearable size that does not repeat the credential. */
function toDetails(call: FailedCall, value: unknown): Readonly<Record<string, unknown>> | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  try {
    const text = JSON.stringify(value)
    const isFit = text.length <= maxDetails && call.hide(text) === text
    return isFit ? (value as Readonly<Record<string, unknown>>) : undefined // an object, as was looked at above
  } catch {
    return undefined // nested too deep to be looked at
  }
}

/** Undefined for what is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

import {
  APICallError,
  EmptyResponseBodyError,
  InvalidResponseDataError,
  JSONParseError,
  TypeValidationError,
} from '@ai-sdk/provider'
import { parseRetryAfter } from '@homeward/kit'
import { withoutKeys } from '../../journal/key-shapes.ts'
import { RuntimeError } from '../../ports/runtime-error.ts'
import { BrokenAnswer, noAnswer } from './model-turn.ts'
import type { Redactor } from '../../secrets/redact.ts'
import { cut } from '../../json/to-json.ts'

/** What a failed model call means for the next one. */
export interface ModelFailure {
  /** For people; holds no secret. */
  readonly error: RuntimeError
  readonly retryable: boolean
  /** How long the provider asked to wait. */
  readonly retryAfterMs: number | undefined
}

/** Judges what a model call failed with. `name` is the model's. */
export function toModelFailure(cause: unknown, name: string, redact: Redactor, nowMs: number): ModelFailure {
  if (RuntimeError.is(cause)) return { error: cause, retryable: cause.retryable, retryAfterMs: undefined }
  const retryable = isRetryable(cause)
  // Providers repeat what they were sent: also keys that this runtime knows nothing of.
  const message = `Calling the model ${name}: ${withoutKeys(describe(cause, redact))}`
  return {
    error: new RuntimeError('model_error', message, {
      retryable: !isRefusal(cause),
      details: { ...statusOf(cause) },
    }),
    retryable,
    retryAfterMs: APICallError.isInstance(cause) ? readRetryAfter(cause.responseHeaders, nowMs) : undefined,
  }
}

/** Whether the provider has understood the request and will not do it: a key or a request that stays wrong. */
function isRefusal(cause: unknown): boolean {
  return APICallError.isInstance(cause) && cause.statusCode !== undefined && !isRetryable(cause)
}

function isRetryable(cause: unknown): boolean {
  if (APICallError.isInstance(cause)) {
    // Without a status the request never got an answer, or none that could be read: the network, or half a body.
    if (cause.statusCode === undefined || cause.statusCode < 300) return true
    return [408, 409, 429].includes(cause.statusCode) || cause.statusCode >= 500
  }
  return cause instanceof BrokenAnswer || isNoAnswer(cause) || isNetworkError(cause) || isPassing(cause)
}

/** Whether an error that came inside a stream says that it will pass: providers name it by `type` or `code`. */
function isPassing(cause: unknown): boolean {
  if (typeof cause !== 'object' || cause === null) return false
  const names = [Reflect.get(cause, 'type'), Reflect.get(cause, 'code')].filter(
    (name) => typeof name === 'string',
  )
  return names.some((name) => /overloaded|rate_limit|server_error|api_error|unavailable/.test(name))
}

/** Whether what came back is nothing that a model says: HTML, half a body, another protocol. */
const isNoAnswer = (cause: unknown) =>
  [EmptyResponseBodyError, InvalidResponseDataError, JSONParseError, TypeValidationError].some((kind) =>
    kind.isInstance(cause),
  )

function isNetworkError(cause: unknown): boolean {
  if (!(cause instanceof Error)) return false
  const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : ''
  if (/^(?:ECONN|ENOTFOUND|EAI_|EPIPE|ETIMEDOUT|EHOST|ENET|UND_ERR)/.test(code)) return true
  // what fetch says when there is no answer, and when the body ends early
  return cause instanceof TypeError && /fetch failed|terminated|network|socket/i.test(cause.message)
}

const statusOf = (cause: unknown) =>
  APICallError.isInstance(cause) && cause.statusCode !== undefined ? { status: cause.statusCode } : undefined

function describe(cause: unknown, redact: Redactor): string {
  if (cause instanceof BrokenAnswer) return cause.message
  if (APICallError.isInstance(cause)) return describeAnswer(cause, redact)
  if (isNoAnswer(cause)) return noAnswer // their messages repeat what came
  if (isNetworkError(cause)) return 'the provider could not be reached, or the connection broke'
  if (typeof cause === 'string') return cut(redact.text(cause), 300)
  const told = errorMessage(cause)
  return told === undefined ? 'it failed' : cut(redact.text(told), 300)
}

function describeAnswer(cause: APICallError, redact: Redactor): string {
  const { statusCode } = cause
  if (statusCode === undefined) return 'the provider could not be reached'
  if (statusCode < 300) return noAnswer
  // A refused key comes back in the message of some providers.
  if (statusCode === 401 || statusCode === 403) {
    return `the provider refused the API key (status ${statusCode}); check the key in the settings or the environment`
  }
  if (statusCode < 400)
    return `the provider answered with a redirect (status ${statusCode}); check its base URL`
  const told = errorMessage(cause.data)
  return `the provider answered with status ${statusCode}` + (told ? `: ${cut(redact.text(told), 300)}` : '')
}

/** `error.message` or `message`, where providers put their text for people. */
function errorMessage(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  if ('error' in value && typeof value.error === 'object') return errorMessage(value.error)
  return 'message' in value && typeof value.message === 'string' ? value.message : undefined
}

function readRetryAfter(
  headers: Readonly<Record<string, string>> | undefined,
  nowMs: number,
): number | undefined {
  const precise = headers?.['retry-after-ms']
  if (precise && /^\d{1,8}(?:\.\d+)?$/.test(precise)) return Number(precise)
  return parseRetryAfter(headers?.['retry-after'] ?? null, nowMs)
}

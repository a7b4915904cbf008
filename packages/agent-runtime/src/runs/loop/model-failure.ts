import {
  APICallError,
  EmptyResponseBodyError,
  InvalidArgumentError,
  InvalidResponseDataError,
  JSONParseError,
  TypeValidationError,
  UnsupportedFunctionalityError,
} from '@ai-sdk/provider'
import { parseRetryAfter } from '@homeward/kit'
import { RuntimeError } from '../../ports/runtime-error.ts'
import { BrokenAnswer, brokeOff, noAnswer } from './answer.ts'
import { type Redactor, withoutKeys } from '../../secrets/redact.ts'
import { cut } from '../../json/to-json.ts'

/** Said of JSON that is not read: the address is right, or a server of another kind is there. */
const notUnderstood =
  'the response of the provider has an unknown shape. Check that the server supports the API of the provider'

/** What a failed model call means for the next one. */
export interface ModelFailure {
  /** For people; holds no secret. */
  readonly error: RuntimeError
  /** What went wrong, in at most 300 characters or so; holds no secret. */
  readonly reason: string
  readonly retryable: boolean
  /** How long the provider asked to wait. */
  readonly retryAfterMs: number | undefined
  /** What the operating system or `fetch` said of the connection, for the log: it names addresses. Holds no secret. */
  readonly networkCause?: string
}

/** The call that failed. */
export interface FailedCall {
  /** `provider/model-id` */
  readonly name: string
  readonly redact: Redactor
  readonly nowMs: number
  /** Whether the answer was JSON, where a stream was asked for. */
  readonly answeredJson: boolean
  /** Whether a part of the answer had come. @default false */
  readonly hasBegun?: boolean | undefined
}

/** Judges what a model call failed with. */
export function toModelFailure(
  cause: unknown,
  { name, redact, nowMs, answeredJson, hasBegun }: FailedCall,
): ModelFailure {
  if (RuntimeError.is(cause)) {
    return { error: cause, reason: cause.message, retryable: cause.retryable, retryAfterMs: undefined }
  }
  const retryable = isRetryable(cause)
  // Providers repeat what they were sent: also keys that this runtime knows nothing of.
  const told = describe(cause, redact)
  const whole = answeredJson ? notUnderstood : noAnswer
  const fact = told === noAnswer ? (hasBegun ? brokeOff : whole) : told
  const reason = withoutKeys(fact)
  const message = `Calling the model ${name} failed: ${reason}`
  return {
    error: new RuntimeError('model_error', message, {
      retryable: !isRefusal(cause),
      details: { ...statusOf(cause) },
    }),
    reason,
    retryable,
    retryAfterMs: APICallError.isInstance(cause) ? readRetryAfter(cause.responseHeaders, nowMs) : undefined,
    ...networkCauseOf(cause, redact),
  }
}

/** The innermost cause of a call without a response, such as `connect ECONNREFUSED 127.0.0.1:11434`. */
function networkCauseOf(cause: unknown, redact: Redactor): { readonly networkCause: string } | undefined {
  const hasNoResponse = APICallError.isInstance(cause)
    ? cause.statusCode === undefined
    : isNetworkError(cause)
  if (!hasNoResponse) return undefined
  let innermost = cause
  for (let depth = 0; depth < 5; depth += 1) {
    // `localhost` has two addresses: each has a failure of its own
    const inner: unknown =
      innermost instanceof AggregateError ? innermost.errors[0] : (innermost as Error).cause
    if (!(inner instanceof Error)) break
    innermost = inner
  }
  const { message, code } = innermost as Error & { readonly code?: unknown }
  // the message of a provider's package repeats the request
  const said = APICallError.isInstance(innermost) ? '' : message || (typeof code === 'string' ? code : '')
  return said === '' ? undefined : { networkCause: cut(withoutKeys(redact.text(said)), 300) }
}

/** Whether the provider, or its package, has understood the request and will not do it: a key or a request that stays wrong. */
function isRefusal(cause: unknown): boolean {
  if (InvalidArgumentError.isInstance(cause)) return true
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

/** Names that providers give to what will pass. */
const passing =
  /overloaded|rate_?limit|server_error|api_error|unavailable|resource_exhausted|too_many_requests|deadline_exceeded|timeout/i

/** Whether an error that came inside a stream says that it will pass: by name, or by the status that it would have had. */
function isPassing(cause: unknown): boolean {
  if (typeof cause === 'string') return isPassingText(cause)
  if (typeof cause !== 'object' || cause === null) return false
  const said = ['type', 'code', 'status', 'statusCode'].map((key): unknown => Reflect.get(cause, key))
  if (said.some((value) => isPassingStatus(Number(value)))) return true
  if (said.some((value) => typeof value === 'string' && passing.test(value))) return true
  const inner: unknown = Reflect.get(cause, 'error') ?? Reflect.get(cause, 'response')
  return typeof inner === 'object' && isPassing(inner)
}

/** An error as a text may be the JSON of one. */
function isPassingText(text: string): boolean {
  if (!text.startsWith('{')) return passing.test(text)
  try {
    return isPassing(JSON.parse(text))
  } catch {
    return false
  }
}

const isPassingStatus = (status: number) =>
  [408, 409, 429].includes(status) || (status >= 500 && status < 600)

/** What providers and servers say to a request with tools when the model has none. */
const noTools =
  /not support (?:tools|tool use|tool calling|function calling|functions)|(?:tools?|tool use|tool calling|function calling|functions)[`'"]? (?:is|are) not (?:supported|enabled)|endpoints found that support tool|tool choice requires|tools param requires/i

/** Whether a provider refused a request because it offers tools. */
export function refusesTools(cause: unknown): boolean {
  if (!APICallError.isInstance(cause) || (cause.statusCode ?? 0) < 400) return false
  return noTools.test(errorMessage(cause.data) ?? cause.responseBody?.slice(0, 2000) ?? '')
}

/** What providers and servers say to a request with a schema for the answer that they cannot hold the model to. */
const noSchema =
  /response_?format|json_?schema|output_?(?:config|format)|response_?(?:json_?)?schema|response.?mime.?type|structured.?outputs?/i

/** Whether a provider refused a request because of the schema of its answer. */
export function refusesSchema(cause: unknown): boolean {
  if (!APICallError.isInstance(cause) || !isRefusal(cause)) return false
  return noSchema.test(errorMessage(cause.data) ?? cause.responseBody?.slice(0, 2000) ?? '')
}

/** Statuses of a provider that will not have what it was sent. 404: something that the prompt refers to is gone. */
const contentStatuses: readonly unknown[] = [400, 404, 413, 415, 422, 451]

/** What moderation says with the status of a rejected key, as OpenRouter's does. */
const moderated = /flagged|moderation|content.?(?:policy|filter)|safety|prohibited/i

const isModerated = (cause: APICallError): boolean =>
  cause.statusCode === 403 && moderated.test(errorMessage(cause.data) ?? messageIn(cause.responseBody) ?? '')

/** Whether a provider, or its package, may have refused what is in a prompt. A key or an address cannot be the reason. */
export function refusesContent(cause: unknown): boolean {
  if (APICallError.isInstance(cause)) return contentStatuses.includes(cause.statusCode) || isModerated(cause)
  if (UnsupportedFunctionalityError.isInstance(cause)) return true
  return !(cause instanceof Error) && saysContent(cause)
}

/** Names that providers give to what they will not read. */
const contentNames = /invalid|content|policy|moderation|safety|unsupported|image|file|refus/i

/** Whether an error that came inside a stream says that the prompt is to blame. */
function saysContent(cause: unknown): boolean {
  if (typeof cause !== 'object' || cause === null || isPassing(cause)) return false
  const said = ['type', 'code', 'status', 'statusCode'].map((key): unknown => Reflect.get(cause, key))
  if (said.some((value) => contentStatuses.includes(Number(value)))) return true
  return said.some((value) => typeof value === 'string' && contentNames.test(value))
}

/** Whether what came back is nothing that a model says: HTML, half a body, another protocol. */
const isNoAnswer = (cause: unknown) =>
  [EmptyResponseBodyError, InvalidResponseDataError, JSONParseError, TypeValidationError].some((kind) =>
    kind.isInstance(cause),
  )

/** Whether JSON came, though of another shape than a model's answer has: so the address is not to blame. */
function isUnreadJson(cause: unknown): boolean {
  if (TypeValidationError.isInstance(cause)) return true
  if (InvalidResponseDataError.isInstance(cause)) return cause.data !== undefined
  if (JSONParseError.isInstance(cause)) return /^\s*[{[]/.test(cause.text)
  return APICallError.isInstance(cause) && /^\s*[{[]/.test(cause.responseBody ?? '')
}

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
  // their messages repeat what came
  if (isNoAnswer(cause)) return isUnreadJson(cause) ? notUnderstood : noAnswer
  if (isNetworkError(cause)) return 'the provider could not be reached, or the connection was lost'
  if (typeof cause === 'string') return cut(redact.text(cause), 300)
  const told = InvalidArgumentError.isInstance(cause) ? describeOption(cause) : errorMessage(cause)
  return told === undefined ? 'unknown error' : cut(redact.text(told), 300)
}

/** Names the option that the provider's package rejects, without its value. */
function describeOption(cause: InvalidArgumentError): string {
  const issues =
    isObject(cause.cause) && isObject(cause.cause['cause']) ? cause.cause['cause']['issues'] : undefined
  const issue: unknown = Array.isArray(issues) ? issues[0] : undefined
  const path = isObject(issue) && Array.isArray(issue['path']) ? issue['path'].map(String).join('.') : ''
  return cause.message + (path && `, at "${path}". Correct "provider_options" of the model settings`)
}

function describeAnswer(cause: APICallError, redact: Redactor): string {
  const { statusCode } = cause
  if (statusCode === undefined) return 'the provider could not be reached'
  if (statusCode < 300) return isUnreadJson(cause.cause) || isUnreadJson(cause) ? notUnderstood : noAnswer
  // A refused key comes back in the message of some providers.
  if (statusCode === 401 || (statusCode === 403 && !isModerated(cause))) {
    return `the provider rejected the API key (status ${statusCode}). Check the key in the settings or the environment`
  }
  if (statusCode < 400)
    return `the provider responded with a redirect (status ${statusCode}). Check its base URL`
  const told = errorMessage(cause.data) ?? messageIn(cause.responseBody)
  return `the provider responded with status ${statusCode}` + (told ? `: ${cut(redact.text(told), 300)}` : '')
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

/** `error.message` or `message`, where providers put their text for people. */
function errorMessage(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  if ('error' in value && typeof value.error === 'object') return errorMessage(value.error)
  const { message, error, detail } = value as Readonly<Record<string, unknown>> // an object may have any fields
  return [message, error, detail].find((text) => typeof text === 'string')
}

/** The message in the body of an error that has another shape than the API's own, as proxies and other servers send it. */
function messageIn(body: string | undefined): string | undefined {
  if (body === undefined || body.length > maxErrorBody) return undefined
  try {
    return errorMessage(JSON.parse(body))
  } catch {
    return undefined
  }
}

/** Characters of a body that is read for its message. */
const maxErrorBody = 100_000

function readRetryAfter(
  headers: Readonly<Record<string, string>> | undefined,
  nowMs: number,
): number | undefined {
  const precise = headers?.['retry-after-ms']
  if (precise && /^\d{1,8}(?:\.\d+)?$/.test(precise)) return Number(precise)
  return parseRetryAfter(headers?.['retry-after'] ?? null, nowMs)
}

/** There are few of them, so that they can be a label: a status, a code, or the word that OpenTelemetry has for others. */
export function errorTypeOf(error: unknown): string {
  if (RuntimeError.is(error)) return error.code
  const status = APICallError.isInstance(error) ? error.statusCode : undefined
  return status !== undefined && status >= 400 && status <= 599 ? String(status) : '_OTHER'
}

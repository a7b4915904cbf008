import {
  boundBody,
  type Deadline,
  sendRequest,
  type FetchOption,
  redactSecrets,
  HttpFailure,
  readText,
  startDeadline,
  toFetch,
} from '@homeward/kit/http'
import * as z from 'zod/mini'
import type { Operation, OperationTable } from '../operation.ts'
import { type LooseInput, refusedBase, toBase, toBody, toUrl } from './build-request.ts'
import { type FailedCall, parseJson, toHttpError, toTransportError } from './call-errors.ts'
import type { CallResult, CallArguments, CallOptions } from './call-input.ts'
import { ClientError } from './client-error.ts'

type HeaderValues = Readonly<Record<string, string>>

/** Options of a client. */
export interface ClientOptions {
  /** Base URL of the HTTP API, such as `https://cloud.example`. May contain a path. */
  readonly baseUrl: string
  /**
   * A `fetch` function, or an ofetch instance whose interceptors then run for each request.
   *
   * @default globalThis.fetch
   */
  readonly fetch?: FetchOption
  /** Headers of every call, or a function that returns them for each call. */
  readonly headers?: HeaderValues | ((signal: AbortSignal) => HeaderValues | Promise<HeaderValues>)
  /**
   * Time limit of a call including its response body, in milliseconds. Must be above 0; `Infinity` means 24.8 days.
   * While a streamed file is sent or received, the limit restarts with every chunk.
   *
   * @default 90000
   */
  readonly timeoutMs?: number
  /** Maximum size of a JSON response in bytes. @default 8388608 */
  readonly maxReplyBytes?: number
  /** Whether a browser sends cookies. @default the platform's default: `same-origin` */
  readonly credentials?: 'include' | 'omit' | 'same-origin'
  /** Converts a {@link ClientError} to the error that calls reject with. @default the same error */
  readonly toError?: (error: ClientError) => Error
  /** Returns the milliseconds since 1970, to interpret a `Retry-After` date. @default Date.now */
  readonly now?: () => number
}

/** Calls one operation and returns status, headers and the validated body. */
export type Caller<Table extends OperationTable> = <Id extends keyof Table & string>(
  id: Id,
  ...input: CallArguments<Table[Id]>
) => Promise<CallResult<Table[Id]>>

/** One call on its way. */
interface Call extends FailedCall {
  readonly operation: Operation
  readonly href: string
  readonly deadline: Deadline
}

/**
 * Creates the function behind a typed client. Each call sends one request: no retries, no redirects.
 *
 * @throws {ClientError} if the base URL is invalid, and from the calls; a call whose signal aborts rejects with the
 * signal's reason.
 * @example
 * const call = createCaller(deviceCloudOperations, { baseUrl: 'http://127.0.0.1:3000' })
 * const { status, headers, body } = await call('listDevices')
 */
export function createCaller<const Table extends OperationTable>(
  operations: Table,
  options: ClientOptions,
): Caller<Table> {
  const toOwn = (error: ClientError) => options.toError?.(error) ?? error
  const base = toBase(options.baseUrl)
  if (base === undefined) throw toOwn(new ClientError('INVALID_REQUEST', refusedBase))
  const fetch = toFetch(options.fetch)
  const maxBytes = options.maxReplyBytes ?? 8_388_608

  async function request(
    call: Call,
    input: LooseInput & CallOptions,
    known: HeaderValues,
  ): Promise<CallResult<Operation>> {
    const { operation, deadline } = call
    const { body, headers: bodyHeaders } = toBody(operation, input, deadline.restart)
    const headers = toHeaders(call, known, bodyHeaders)
    const response = await sendRequest({
      fetch,
      url: call.href,
      deadline,
      init: {
        method: operation.method,
        headers,
        ...(body === undefined ? {} : { body }),
        ...(options.credentials ? { credentials: options.credentials } : {}),
      },
    })
    const { status } = response
    if (response.ok && isStream(operation)) {
      const toError = (error: unknown) => toClientError(call, input.signal, error)
      const content = response.body ?? new Blob().stream()
      const bytes = boundBody(content, { deadline, restarts: 'chunk', toError })
      return { status, headers: response.headers, body: bytes }
    }
    const reading = readText(response.body, { deadline, maxBytes })
    if (!response.ok) {
      // The status counts more than a body that broke off.
      const said = await reading.catch((error: unknown) => {
        if (!(error instanceof HttpFailure) || error.code === 'TIMEOUT') throw error
        return ''
      })
      const read = operation.replyAtAnyStatus && readReply(operation.replyAtAnyStatus, parseJson(said))
      if (read?.success) return { status, headers: response.headers, body: read.data as never } // parsed by its schema
      throw toHttpError(call, response, said, options.now ?? Date.now)
    }
    const text = await reading
    return { status, headers: response.headers, body: parseReply(call, text) as never } // parsed by its schema
  }

  function toClientError(call: Call, signal: AbortSignal | undefined, error: unknown): unknown {
    if (signal?.aborted && call.deadline.signal.reason === signal.reason) return signal.reason
    return toOwn(ClientError.is(error) ? error : toTransportError(call, error, maxBytes))
  }

  return async (id, ...[given]) => {
    // The public types say which inputs the operation has; from here on it is a bag of optional ones.
    const input = (given ?? {}) as LooseInput & CallOptions
    input.signal?.throwIfAborted()
    const operation = operations[id] as Operation
    const timeoutMs = input.timeoutMs ?? options.timeoutMs ?? 90_000
    const isTime = timeoutMs > 0
    const deadline = startDeadline(isTime ? timeoutMs : 0, input.signal)
    let call: Call = { operation, href: '', origin: '', deadline, attempt: `${id} failed`, hide: String }
    let streaming = false
    try {
      if (!isTime)
        throw new ClientError(
          'INVALID_REQUEST',
          `${call.attempt}: "timeoutMs" must be a number greater than 0, got ${timeoutMs}.`,
        )
      call = { ...call, ...buildUrl(call, base, input) }
      const known = { ...(await deadline.race(ownHeaders(call, options.headers))), ...input.headers }
      call = { ...call, hide: hideCredential(known) }
      const answer = await request(call, input, known)
      streaming = isStream(operation)
      return answer
    } catch (error) {
      throw toClientError(call, input.signal, error)
    } finally {
      if (!streaming) deadline.end()
    }
  }
}

const isStream = ({ reply }: Operation) => typeof reply === 'string'

async function ownHeaders(call: Call, headers: ClientOptions['headers']): Promise<HeaderValues | undefined> {
  try {
    return typeof headers === 'function' ? await headers(call.deadline.signal) : headers
  } catch (cause) {
    throw new ClientError('INVALID_REQUEST', `${call.attempt}: the "headers" function threw. See "cause".`, {
      cause,
    })
  }
}

function buildUrl(call: Call, base: string, input: LooseInput): Pick<Call, 'href' | 'origin'> {
  try {
    const { href, origin } = toUrl(base, call.operation, input)
    return { href, origin }
  } catch (error) {
    throw new ClientError('INVALID_REQUEST', `${call.attempt}: ${(error as Error).message}.`)
  }
}

function toHeaders(call: Call, known: HeaderValues, more: HeaderValues): Headers {
  try {
    return new Headers({ accept: 'application/json', ...known, ...more })
  } catch {
    // No cause: the platform's message quotes the value, which may be a credential.
    throw new ClientError(
      'INVALID_REQUEST',
      `${call.attempt}: a header contains characters that HTTP does not allow. Remove them.`,
    )
  }
}

function hideCredential(headers: HeaderValues): (text: string) => string {
  const secrets = Object.entries(headers)
    .filter(([name]) => /^(authorization|cookie)$/i.test(name))
    // Also each long part of it: one cookie of many, a password of a pair.
    .flatMap(([, value]) => [
      value.replace(/^\w+\s+/, ''),
      ...value.split(/[;=,\s]+/).filter((part) => part.length > 11),
    ])
    .filter((secret) => secret.length > 3)
  return (text) => redactSecrets(text, secrets)
}

function parseReply(call: Call, text: string): unknown {
  const parsed = readReply(call.operation.reply as z.core.$ZodType, parseJson(text)) // streams returned before
  if (parsed.success) return parsed.data
  const where = parsed.error.issues[0]?.path.join('.') ?? ''
  const part = where
    ? `field "${call.hide(where).slice(0, 100)}" is invalid`
    : 'the body is not the documented JSON'
  throw new ClientError('BAD_REPLY', `${call.attempt}: unexpected response from ${call.origin}: ${part}.`)
}

/** Fields that are dropped from one response before it counts as invalid. */
const maxDropped = 100

/**
 * Parses a response that was read from JSON. Optional fields of another shape count as absent, because an extension that
 * a client cannot use must not cost the documented fields. Changes `value`.
 */
export function readReply<Schema extends z.core.$ZodType>(
  schema: Schema,
  value: unknown,
): z.core.util.SafeParseResult<z.core.output<Schema>> {
  let parsed = z.safeParse(schema, value)
  for (let left = maxDropped; left > 0 && !parsed.success; left -= 1) {
    if (!dropOptional(schema, value, parsed.error.issues[0]?.path ?? [])) break
    parsed = z.safeParse(schema, value)
  }
  return parsed
}

type Keyed = Record<PropertyKey, unknown>
type Schema = z.core.$ZodType & { readonly _zod: { readonly def: Definition } }
/** What the kinds of schemas that lie on the way to a field have, read without knowing the kind. */
interface Definition {
  readonly shape?: Readonly<Record<PropertyKey, Schema>>
  readonly element?: Schema
  readonly valueType?: Schema
  readonly innerType?: Schema
  readonly options?: readonly Schema[]
}

/** Removes the innermost optional field that holds the value at `path`; false when all fields on the way are required. */
function dropOptional(schema: z.core.$ZodType, value: unknown, path: readonly PropertyKey[]): boolean {
  let found: (() => boolean) | undefined
  let within = [schema as Schema] // its definition is only read by names that it may lack
  let held = value as Keyed // a path of an issue leads through objects and arrays only
  for (const key of path) {
    const holder = held
    const next = within.flatMap((one) => toMembers(one, key))
    if (next.some((one) => one._zod.optin === 'optional')) found = () => delete holder[key]
    within = next
    held = holder[key] as Keyed
  }
  return found?.() ?? false
}

function toMembers(schema: Schema, key: PropertyKey): Schema[] {
  const { shape, element, valueType, innerType, options } = schema._zod.def
  if (innerType) return toMembers(innerType, key)
  if (options) return options.flatMap((option) => toMembers(option, key))
  const member = shape ? Object.hasOwn(shape, key) && shape[key] : (element ?? valueType)
  return member ? [member] : []
}

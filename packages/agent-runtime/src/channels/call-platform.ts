import { parseRetryAfter } from '@homeward/kit'
import { boundedFetch, type FetchOption, redactSecrets as hideIn, HttpFailure } from '@homeward/kit/http'
import { parseJson } from '../json/parse-json.ts'
import { ChannelError } from './channel-error.ts'

/** A request to a platform. */
export interface PlatformCall {
  /** What is attempted, for errors: `Telegram sendMessage`. */
  readonly what: string
  readonly url: string
  /** @default 'POST' */
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON. */
  readonly json?: unknown
  /** Sent as it is, instead of `json`. */
  readonly body?: string | FormData | Uint8Array<ArrayBuffer>
  /** Milliseconds until the whole reply must be there. @default 15000 */
  readonly timeoutMs?: number
  readonly signal: AbortSignal
  /** Largest answer in bytes; a larger one is an error `too_long`. @default 8 MiB; a larger one is `uncertain` */
  readonly maxBytes?: number
  /** @default the global `fetch` */
  readonly fetch?: FetchOption | undefined
  /** Whether making it twice does no harm: a failure is `temporary` then, never `uncertain`. @default for GET */
  readonly isRepeatable?: boolean
  /** Texts that no error may hold. */
  readonly secrets?: readonly (string | undefined)[]
}

/** What whoever makes a call decides about it. */
export type PlatformCallOptions = Pick<PlatformCall, 'signal' | 'timeoutMs'>

/** What a platform answered, whatever its status. */
export interface PlatformReply {
  readonly status: number
  readonly headers: Headers
  /** Body of at most 8 MiB: a hundred waiting messages fit. */
  readonly text: string
  /** The body when it is JSON. */
  readonly json: unknown
}

const maxReplyBytes = 8 * 1024 * 1024

/**
 * Calls a platform once. Follows no redirect: the credentials are for the address that was set.
 *
 * @throws {ChannelError} `temporary` when the request surely did not leave, or may be repeated; `uncertain` when nobody
 * can tell; `permanent` when it never will. The reason of `signal` when that aborts.
 */
export async function callPlatform(call: PlatformCall): Promise<PlatformReply> {
  return askPlatform(call, async (response) => {
    const text = await response.text()
    return { status: response.status, headers: response.headers, text, json: parseJson(text) }
  })
}

/** The same, with what `read` makes of the answer. */
export async function askPlatform<Read>(
  call: PlatformCall,
  read: (response: Response) => Promise<Read>,
): Promise<Read> {
  const { signal, timeoutMs = 15_000, maxBytes = maxReplyBytes } = call
  try {
    const send = boundedFetch({ fetch: call.fetch, timeoutMs, maxBytes, signal })
    const response = await send(toAddress(call), {
      method: call.method ?? 'POST',
      headers: toHeaders(call),
      body: call.body ?? (call.json === undefined ? null : JSON.stringify(call.json)),
    })
    return await read(response)
  } catch (error) {
    if (signal.aborted) throw signal.reason
    throw ChannelError.is(error) ? error : toCallError(call, error, timeoutMs)
  }
}

/** Without `cause`: what fetch throws may hold the address, and the address may hold a token. */
function toCallError(call: PlatformCall, error: unknown, timeoutMs: number): ChannelError {
  const { code, cause = error } = error instanceof HttpFailure ? error : {}
  if (code === 'REDIRECTED') {
    const advice = 'Redirects are not followed. Set the final address.'
    return new ChannelError('permanent', `${call.what} failed: the response is a redirect. ${advice}`)
  }
  if (code === 'TOO_LARGE') {
    // it was answered, but how?
    const { maxBytes } = call
    const message = `${call.what} failed: the response is larger than ${maxBytes ?? maxReplyBytes} bytes. Check the address.`
    return new ChannelError(maxBytes === undefined ? 'uncertain' : 'too_long', message)
  }
  const why = code === 'TIMEOUT' ? `no response within ${timeoutMs / 1000} s` : explain(cause)
  const isSure = mayRepeat(call) || neverLeft(cause)
  const unclear = isSure ? '' : ' The message may or may not have arrived.'
  const message = `${call.what} failed: ${redactSecrets(why, call.secrets)}.${unclear}`
  return new ChannelError(isSure ? 'temporary' : 'uncertain', message)
}

/** What a status means on every platform. `detail`: what the platform says about it. */
export function toChannelError(
  reply: Pick<PlatformReply, 'status' | 'headers'>,
  call: Pick<PlatformCall, 'what' | 'method' | 'isRepeatable' | 'secrets'>,
  options: { readonly detail?: string | undefined; readonly nowMs?: number } = {},
): ChannelError {
  const { status } = reply
  const said = options.detail ? `: ${redactSecrets(options.detail, call.secrets).slice(0, 200)}` : ''
  const message = `${call.what} failed with HTTP ${status}${said}.`
  if (status === 429) {
    const retryAfterMs = parseRetryAfter(reply.headers.get('retry-after'), options.nowMs ?? Date.now())
    return new ChannelError('rate_limited', message, retryAfterMs === undefined ? {} : { retryAfterMs })
  }
  if (status === 401 || status === 403) return new ChannelError('auth', message)
  if (status === 404 || status === 410) return new ChannelError('gone', message)
  if (status === 413) return new ChannelError('too_long', message)
  if (status >= 500 || status === 408) {
    return new ChannelError(mayRepeat(call) ? 'temporary' : 'uncertain', message)
  }
  return new ChannelError('permanent', message)
}

/** A text without secrets, and without what stands after `/bot` in an address. */
export function redactSecrets(text: string, secrets: readonly (string | undefined)[] = []): string {
  return hideIn(text.replaceAll(/\/bot\d+:[\w-]+/g, '/bot***'), secrets, '***')
}

function toAddress(call: PlatformCall): string {
  if (URL.canParse(call.url)) return call.url
  throw new ChannelError(
    'permanent',
    `${call.what} failed: its address is not a valid URL. Check the settings.`,
  )
}

function toHeaders(call: PlatformCall): Headers {
  try {
    return new Headers({
      ...(call.json !== undefined && { 'content-type': 'application/json' }),
      ...call.headers,
    })
  } catch {
    const advice = 'Check the tokens in the settings for invalid characters.'
    throw new ChannelError('permanent', `${call.what} failed: a header is invalid. ${advice}`)
  }
}

function mayRepeat({ method, isRepeatable = method === 'GET' }: Partial<PlatformCall>): boolean {
  return isRepeatable
}

/** Failures from before a connection was there: nothing can have been sent. */
const connectCodes =
  /^(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|ENETDOWN|EADDRNOTAVAIL|UND_ERR_CONNECT_TIMEOUT|CERT_.*|ERR_TLS_.*|ERR_SSL_.*|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_.*|HOSTNAME_MISMATCH)$/

function neverLeft(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined
  if (cause instanceof AggregateError) return cause.errors.every(isConnectFailure)
  return isConnectFailure(cause)
}

function isConnectFailure(failure: unknown): boolean {
  if (typeof failure !== 'object' || failure === null) return false
  if ('syscall' in failure && (failure.syscall === 'connect' || failure.syscall === 'getaddrinfo'))
    return true
  return 'code' in failure && typeof failure.code === 'string' && connectCodes.test(failure.code)
}

/** A failure in words that hold no address. */
function explain(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error
  const code =
    typeof cause === 'object' && cause !== null && 'code' in cause && typeof cause.code === 'string'
      ? cause.code
      : undefined
  if (code !== undefined) return `the connection failed (${code})`
  return 'the connection failed'
}

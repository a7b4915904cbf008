import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { AddressRefused, checkedLookup, type ChooseAddresses, type ResolveHost } from '@homeward/kit/node'
import { RuntimeError } from '../../ports/runtime-error.ts'
import { type AddressPolicy, hostOf, portOf } from './base-address.ts'
import type { Readable, Transform } from 'node:stream'
import { createBoundedOutput } from '../exec/bounded-output.ts'

const maxRedirects = 5

/** A request of an HTTP tool. */
interface HttpRequest {
  readonly method: string
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /** Asked for each address before it is connected to. */
  readonly policy: AddressPolicy
  /** Rules for another origin that a redirect leads to; undefined if it is not followed. @default none is followed */
  readonly redirectPolicy?: (url: URL) => AddressPolicy | undefined
  readonly timeoutMs: number
  /** Largest body that is read, after decompression. */
  readonly maxBytes: number
  readonly signal: AbortSignal
}

/** An answer, with its body up to the limit. */
export interface HttpReply {
  /** Where it came from, after redirects. */
  readonly url: URL
  readonly status: number
  readonly contentType: string
  readonly body: Uint8Array
  readonly truncated: boolean
}

/** Sends requests of HTTP tools. */
export interface HttpClient {
  /**
   * Follows redirects within the origin, and to others that the request allows. Connects to no address that the policy refuses, whatever name it is
   * reached by and whenever that name changed its address.
   *
   * @throws {RuntimeError} `run_error` when there is no answer, `timeout`; the signal's reason when it aborted.
   */
  send(request: HttpRequest): Promise<HttpReply>
}

/** @param resolveHost How names become addresses. @default dns.lookup */
export function createHttpClient(resolveHost?: ResolveHost): HttpClient {
  return {
    async send(request) {
      const ends = new AbortController()
      const late = new RuntimeError(
        'timeout',
        `Calling ${request.url.host} failed: the server did not respond within ${request.timeoutMs} ms. Try again later.`,
        { retryable: true },
      )
      const timer = setTimeout(() => ends.abort(late), request.timeoutMs)
      const signal = AbortSignal.any([request.signal, ends.signal])
      try {
        return await follow({ ...request, signal }, resolveHost ?? (await import('node:dns')).lookup)
      } catch (error) {
        if (signal.aborted) throw signal.reason
        throw error
      } finally {
        clearTimeout(timer)
      }
    },
  }
}

async function follow(first: HttpRequest, resolveHost: ResolveHost): Promise<HttpReply> {
  let request = first
  for (let redirects = 0; redirects <= maxRedirects; redirects += 1) {
    const response = await exchange(request, resolveHost)
    const next = redirectOf(request, response)
    if (next === undefined) return await toReply(response, request)
    response.destroy()
    request = next
  }
  throw failed(first.url, `it redirected more than ${maxRedirects} times`)
}

async function exchange(request: HttpRequest, resolveHost: ResolveHost): Promise<IncomingMessage> {
  const { url, method, headers, body, policy, signal } = request
  const host = hostOf(url)
  const port = portOf(url)
  const refusal = isIP(host) === 0 ? undefined : policy(host, port)
  if (refusal !== undefined) throw failed(url, refusal)
  // loaded with the first call: TLS takes its time
  const { request: start } = await (url.protocol === 'https:' ? import('node:https') : import('node:http'))
  return await new Promise((resolve, reject) => {
    // no agent: a connection that others opened was checked by their rules
    const outgoing = start(url, {
      method,
      headers: {
        ...headers,
        ...(body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
      },
      agent: false,
      signal,
      lookup: checkedLookup(chooseBy(policy, port), resolveHost),
    })
    outgoing.once('response', resolve)
    // an answer that switches the protocol is none, and no error either
    outgoing.once('close', () => reject(unreachable(url, undefined)))
    outgoing.on('error', (cause) =>
      reject(cause instanceof AddressRefused ? failed(url, cause.message) : unreachable(url, cause)),
    )
    outgoing.end(body)
  })
}

/** Addresses that a policy allows, or why it allows none. */
const chooseBy =
  (policy: AddressPolicy, port: number): ChooseAddresses =>
  (addresses) => {
    const refusals = addresses.map((address) => policy(address, port))
    const allowed = addresses.filter((_, index) => refusals[index] === undefined)
    return allowed.length > 0 ? allowed : (refusals[0] ?? 'its host name cannot be resolved')
  }

/** The next request of a redirect; undefined for any other answer. */
function redirectOf(request: HttpRequest, response: IncomingMessage): HttpRequest | undefined {
  const { statusCode = 0, headers } = response
  const target = headers.location
  if (![301, 302, 303, 307, 308].includes(statusCode) || target === undefined) return undefined
  const url = URL.canParse(target, request.url) ? new URL(target, request.url) : undefined
  const policy = url && policyOf(request, url)
  if (url === undefined || policy === undefined || url.username !== '') {
    response.destroy()
    throw failed(request.url, 'it redirected to another origin, which is not followed')
  }
  const becomesGet =
    statusCode === 303 ? request.method !== 'HEAD' : statusCode < 303 && request.method === 'POST'
  if (!becomesGet) return { ...request, url, policy }
  const { body: _body, ...rest } = request
  const kept = Object.entries(request.headers).filter(([name]) => name.toLowerCase() !== 'content-type')
  return { ...rest, url, policy, method: 'GET', headers: Object.fromEntries(kept) }
}

/** Rules for the target of a redirect; undefined if it is not followed. A page is not fetched without TLS after it was with. */
function policyOf({ url: from, policy, redirectPolicy }: HttpRequest, url: URL): AddressPolicy | undefined {
  if (url.origin === from.origin) return policy
  return from.protocol === 'https:' && url.protocol !== 'https:' ? undefined : redirectPolicy?.(url)
}

async function toReply(response: IncomingMessage, request: HttpRequest): Promise<HttpReply> {
  const read = await readBounded(response, response.headers['content-encoding'], request.maxBytes).catch(
    (cause: unknown) => {
      throw unreachable(request.url, cause)
    },
  )
  const { url } = request
  return {
    url,
    status: response.statusCode ?? 0,
    contentType: response.headers['content-type'] ?? '',
    ...read,
  }
}

function unreachable(url: URL, cause: unknown): RuntimeError {
  const code = cause instanceof Error && 'code' in cause ? ` (${String(cause.code)})` : ''
  return new RuntimeError(
    'run_error',
    `Calling ${url.host} failed: the connection failed${code}. Check the address.`,
    {
      cause,
      retryable: true,
    },
  )
}

function failed(url: URL, reason: string): RuntimeError {
  return new RuntimeError('run_error', `Calling ${url.host} failed: ${reason}.`)
}

/**
 * Reads a body, decompressed, until it ends or has more than `maxBytes`; then the rest is never fetched.
 *
 * @param encoding Its Content-Encoding.
 */
async function readBounded(
  source: Readable,
  encoding: string | undefined,
  maxBytes: number,
): Promise<{ body: Uint8Array; truncated: boolean }> {
  const decoder = await decoderFor(encoding?.trim().toLowerCase() ?? '')
  const kept = createBoundedOutput(maxBytes)
  const stream = decoder === undefined ? source : pipe(source, decoder)
  try {
    for await (const chunk of stream as AsyncIterable<Uint8Array>) {
      kept.add(chunk)
      if (kept.truncated) break
    }
  } finally {
    source.destroy()
  }
  return { body: kept.content(), truncated: kept.truncated }
}

async function decoderFor(encoding: string): Promise<Transform | undefined> {
  if (!['gzip', 'x-gzip', 'deflate', 'br'].includes(encoding)) return undefined
  const { createBrotliDecompress, createGunzip, createInflate } = await import('node:zlib')
  if (encoding === 'br') return createBrotliDecompress()
  return encoding === 'deflate' ? createInflate() : createGunzip()
}

function pipe(source: Readable, decoder: Transform): Transform {
  let isEmpty = true
  source.once('data', () => (isEmpty = false))
  source.once('end', () => {
    // 204, 304, HEAD and the like: no bytes are nothing, whatever their encoding; a decoder would call that cut off
    if (isEmpty) decoder.push(null)
    else decoder.end()
  })
  source.once('error', (error) => decoder.destroy(error))
  source.once('aborted', () => decoder.destroy(new Error('the body was cut off')))
  return source.pipe(decoder, { end: false })
}

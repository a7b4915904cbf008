import type { PlainReply } from './plain-reply.ts'
import type { RequestView } from './request-view.ts'

/** Facts about a request that only your server knows. */
export interface FetchContext {
  /**
   * Address of the client, from your platform.
   *
   * Without it, limits per address count all clients as one. Never pass a fixed address: with `127.0.0.1`,
   * single-user sessions treat every caller as the local user.
   */
  readonly remoteAddress?: string
  /** A faster `Response` class, such as srvx's `FastResponse`. @default globalThis.Response */
  readonly Response?: typeof globalThis.Response
}

/** Web-standard handler. Never rejects. */
export type FetchHandler = (request: Request, context?: FetchContext) => Promise<Response>

/**
 * Creates a web-standard handler from a `respond` function, for example if your app wraps the `respond` of a handler.
 *
 * @example
 * const fetch = toFetch(async (request) => withHeaders(await handler.respond(request)))
 *
 * @param basePath - path below which the server is mounted: `respond` gets the rest
 */
export function toFetch(respond: (request: RequestView) => Promise<PlainReply>, basePath = ''): FetchHandler {
  return async (request, context = {}) => {
    const reply = await respond(new FetchRequestView(request, context.remoteAddress, basePath))
    const { Response = globalThis.Response } = context
    const body = request.method === 'HEAD' ? null : reply.body
    if (body === null && reply.body instanceof ReadableStream) await reply.body.cancel()
    return new Response(body, { status: reply.status, headers: { ...reply.headers } })
  }
}

/** A class as the view of `node:http` is one: an accessor in an object literal gives each object a shape of its own. */
class FetchRequestView implements RequestView {
  readonly method: string
  readonly path: string
  readonly search: string
  readonly origin: string
  readonly remoteAddress: string | undefined
  readonly #request: Request
  readonly #host: string

  constructor(request: Request, remoteAddress: string | undefined, basePath: string) {
    const { pathname, search, origin, host } = new URL(request.url)
    this.method = request.method
    this.path = pathBelow(basePath, pathname)
    this.search = search.slice(1)
    this.origin = origin
    this.remoteAddress = remoteAddress
    this.#request = request
    this.#host = host
  }

  get signal(): AbortSignal {
    return this.#request.signal
  }

  get isRead(): boolean {
    return this.#request.bodyUsed || this.#request.body?.locked === true
  }

  header(name: string): string | undefined {
    // A Request made in process carries no Host header; its URL says the same.
    return this.#request.headers.get(name) ?? (name === 'host' ? this.#host : undefined)
  }

  body(): AsyncIterable<Uint8Array> {
    return readBody(this.#request.body)
  }
}

/**
 * The body as it arrives. When the reader stops early (a body over its limit), the rest is discarded: canceling would cut
 * the connection on some hosts before the caller has read the answer, and where nobody reads on, a caller that sends all
 * of it first waits for ever.
 */
async function* readBody(body: ReadableStream<Uint8Array> | null): AsyncGenerator<Uint8Array> {
  if (!body) return
  const reader = body.getReader()
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) yield part.value
  } finally {
    void discard(reader)
  }
}

/** Reads what is left, if anything is, and forgets it. A connection that breaks meanwhile is nobody's loss. */
async function discard(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  try {
    while (!(await reader.read()).done);
  } catch {
    // The caller has gone.
  } finally {
    reader.releaseLock()
  }
}

/**
 * Cuts the path below which a server is mounted off the path of a request. Empty if the path lies outside: no operation has
 * it, so that the reply is 404 behind the guard.
 *
 * @example
 * pathBelow('/devices', '/devices/api/searches') // '/api/searches'
 */
export function pathBelow(basePath: string, path: string): string {
  if (basePath === '') return path
  return path.startsWith(`${basePath}/`) ? path.slice(basePath.length) : ''
}

/** Normalizes a base path: removes the slash at its end. */
export const toBasePath = (given = ''): string => given.replace(/\/+$/, '')

/** Whether an option is a valid base path, such as `/devices`. */
export const isBasePath = (value: unknown): boolean =>
  typeof value === 'string' && /^(?:\/[\w.~!$&'()*+,;=:@%-]+)*\/?$/.test(value)

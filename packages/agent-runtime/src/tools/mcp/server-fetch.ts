import { isIP } from 'node:net'
import { type FetchOption, boundResponse, toFetch } from '@homeward/kit/http'
import {
  AddressRefused,
  type ChooseAddresses,
  checkedLookup,
  createCheckedFetch,
  isMetadataAddress,
  isPrivateAddress,
  type ResolveHost,
} from '@homeward/kit/node'
import { withExactIntegers } from '../../json/exact-response.ts'
import { RuntimeError } from '../../ports/runtime-error.ts'
import { type AddressPolicy, hostOf } from '../http/base-address.ts'
import { createHttpClient, type HttpReply } from '../http/http-client.ts'
import type { McpHttpServer } from './mcp-server-config.ts'
import { maxMessageBytes } from './max-message-bytes.ts'

const maxRedirects = 5
/** Metadata of an identity provider, or a token. */
const maxBytesElsewhere = 1024 * 1024
const elsewhereMs = 30_000

/** What {@link createServerFetch} works with. */
export interface ServerFetchOptions {
  /** The app's own. It decides about the addresses of other origins. */
  readonly fetch?: FetchOption | undefined
  /** How host names become addresses. @default dns.lookup */
  readonly resolveHost?: ResolveHost | undefined
}

type ServerFetch = (url: string | URL, init?: RequestInit) => Promise<Response>

/**
 * A bounded fetch for one server. Redirects stay in their origin. The server names the addresses of its OAuth metadata, so they
 * get none of the operator's headers, and only a server with a private address can lead to private ones (A29). The address of
 * the first connection decides: a name that was public and turns private is rejected.
 */
export function createServerFetch(config: McpHttpServer, options: ServerFetchOptions): ServerFetch {
  const own = new URL(config.url)
  const choose = chooseFor(config)
  const bounded = createBoundedFetch(options.fetch ?? createCheckedFetch(choose, options.resolveHost))
  const client = createHttpClient(options.resolveHost)
  return async (url, init = {}) => {
    const target = new URL(String(url))
    if (target.origin === own.origin) {
      assertNoMetadata(target)
      return await followWithin(bounded, target, init)
    }
    const headers = new Headers(init.headers)
    for (const name of operatorHeaders(config, headers)) headers.delete(name)
    if (options.fetch !== undefined) return await followWithin(bounded, target, { ...init, headers })
    const policy = policyFor(await isPrivateServer(config, choose, options.resolveHost))
    const method = init.method ?? 'GET'
    const body = init.body ? await new Response(init.body).text() : undefined
    const reply = await client.send({
      method,
      url: target,
      headers: Object.fromEntries(headers),
      ...(body !== undefined && { body }),
      policy,
      ...(method === 'GET' && { redirectPolicy: () => policy }),
      timeoutMs: elsewhereMs,
      maxBytes: maxBytesElsewhere,
      signal: init.signal ?? new AbortController().signal,
    })
    return toResponse(reply)
  }
}

/** Headers of the operator, unless the request has set another value. */
function operatorHeaders({ headers = {} }: McpHttpServer, sent: Headers): string[] {
  const given = new Headers({ ...headers })
  return Array.from(given.keys()).filter((name) => sent.get(name) === given.get(name))
}

function policyFor(isServerPrivate: boolean): AddressPolicy {
  return (address) => {
    if (isMetadataAddress(address)) return 'it points to the metadata service of a cloud'
    const isAllowed = isServerPrivate || !isPrivateAddress(address)
    return isAllowed ? undefined : 'it points to a private address, but the MCP server has a public one'
  }
}

function assertNoMetadata(url: URL): void {
  const host = hostOf(url)
  if (isIP(host) === 0 || !isMetadataAddress(host)) return
  throw failed(url, 'it must not be the metadata service of a cloud')
}

/** Whether a server was first found at a private address. Configurations stay the same object while nothing changes. */
const privateServers = new WeakMap<McpHttpServer, boolean>()

/** Of a server that was public once, public addresses only; of others all except metadata services. */
const chooseFor =
  (config: McpHttpServer): ChooseAddresses =>
  (addresses) => {
    const usable = addresses.filter((address) => !isMetadataAddress(address))
    if (usable.length === 0) return 'it points to the metadata service of a cloud'
    const open = usable.filter((address) => !isPrivateAddress(address))
    if (!privateServers.has(config)) privateServers.set(config, open.length === 0)
    if (privateServers.get(config)) return usable
    const turned = 'it points to a private address now, and pointed to a public one before'
    return open.length > 0 ? open : `${turned}. Restart the server if this is right`
  }

async function isPrivateServer(
  config: McpHttpServer,
  choose: ChooseAddresses,
  resolveHost: ResolveHost | undefined,
): Promise<boolean> {
  if (!privateServers.has(config)) {
    // it was not called yet: what its name says now counts from then on
    const lookup = checkedLookup(choose, resolveHost ?? (await import('node:dns')).lookup)
    const host = hostOf(new URL(config.url))
    if (isIP(host) === 0) await new Promise((done) => lookup(host, { all: true }, done))
    else choose([host])
  }
  return privateServers.get(config) ?? false
}

async function followWithin(fetch: ServerFetch, first: URL, init: RequestInit): Promise<Response> {
  let url = first
  for (let redirects = 0; redirects <= maxRedirects; redirects += 1) {
    const response = await fetch(url, { ...init, redirect: 'manual' }).catch((error: unknown) => {
      const refused = error instanceof TypeError && error.cause instanceof AddressRefused
      throw refused ? failed(url, (error.cause as AddressRefused).message) : error
    })
    const next = init.redirect === 'manual' ? undefined : redirectWithin(url, response, init.method)
    if (next === undefined) return response
    await response.body?.cancel()
    url = next
  }
  throw failed(first, `it redirected more than ${maxRedirects} times`)
}

/** Where the same request goes on; undefined for other answers, and for other origins. */
function redirectWithin(from: URL, { status, headers }: Response, method = 'GET'): URL | undefined {
  const isSame = status === 307 || status === 308 || (status >= 301 && status <= 303 && method === 'GET')
  const location = headers.get('location')
  const url = isSame && location !== null ? URL.parse(location, from.href) : null
  return url?.origin === from.origin ? url : undefined
}

function toResponse({ url, status, contentType, body, truncated }: HttpReply): Response {
  if (truncated) throw failed(url, `it sent more than ${maxBytesElsewhere} bytes`)
  return new Response(body.byteLength > 0 ? Buffer.from(body) : null, {
    status,
    headers: { 'content-type': contentType },
  })
}

const failed = (url: URL, reason: string): RuntimeError =>
  new RuntimeError('run_error', `Calling ${url.host} failed: ${reason}.`)

/** A fetch whose answers fail once they are larger than {@link maxMessageBytes}. */
function createBoundedFetch(given: FetchOption | undefined) {
  const fetch = toFetch(given)
  return async (url: string | URL, init: RequestInit = {}): Promise<Response> =>
    withExactIntegers(boundResponse(await fetch(String(url), init), { maxBytes: maxMessageBytes }))
}

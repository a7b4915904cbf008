import type { LookupAddress, LookupOptions } from 'node:dns'
import { isIP } from 'node:net'
import { parseRetryAfter } from '../retry-after.ts'
import {
  WebhookFailure,
  type WebhookRequest,
  type WebhookResponse,
  type WebhookSender,
} from '../webhooks/webhook-sender.ts'
import type { ResolveHost } from './checked-fetch.ts'
import { isMetadataAddress, isPrivateAddress } from './address-rules.ts'

/** Resolves a host name to all of its addresses. */
export type ResolveWebhookHost = ResolveHost

/** Options of {@link createWebhookSender}. */
export interface WebhookSenderOptions {
  /**
   * Returns a comma-separated list of hosts that may have private addresses. Called for each request.
   *
   * @default no hosts
   */
  readonly hosts?: () => string | undefined
  /** Resolves host names. @default dns.lookup */
  readonly resolveHost?: ResolveWebhookHost
}

/**
 * Creates a function that sends webhooks from Node.
 *
 * Private addresses are rejected unless `hosts` contains the host. Cloud metadata addresses are always rejected. The
 * request connects to the address that was checked, so a DNS change in between has no effect.
 *
 * @example
 * const sender = createWebhookSender({ hosts: () => process.env.WEBHOOK_HOSTS })
 */
export function createWebhookSender({ hosts, resolveHost }: WebhookSenderOptions = {}): WebhookSender {
  const refusalOf = (host: string, address: string) => {
    if (isMetadataAddress(address))
      return `${host} is the metadata address of a cloud, which serves credentials`
    const isNamed = parseWebhookHosts(hosts?.()).has(host)
    if (!isNamed && isPrivateAddress(address))
      return `${host} has a private address. Add the host to the setting webhook_hosts to allow it`
    return undefined
  }
  const resolve = async () => resolveHost ?? (await import('node:dns')).lookup
  return {
    async check(url) {
      const host = hostOf(url)
      if (isIP(host) !== 0) return refusalOf(host, host)
      const lookup = await resolve()
      const addresses = await new Promise<LookupAddress[]>((done) => {
        // a name without an address now may have one when something is delivered
        lookup(host, { all: true }, (error, found) => done(error === null ? found : []))
      })
      const refusals = addresses.map(({ address }) => refusalOf(host, address))
      return refusals.every((reason) => reason !== undefined) ? refusals[0] : undefined
    },
    async send(request) {
      const url = new URL(request.url)
      const host = hostOf(url)
      const refusal = isIP(host) === 0 ? undefined : refusalOf(host, host)
      if (refusal !== undefined) throw new WebhookFailure(refusal)
      return await post(
        url,
        request,
        checkedLookup(await resolve(), (address) => refusalOf(host, address)),
      )
    },
  }
}

/** Parses a comma-separated list of host names. Names become lowercase, and IPv6 addresses lose their brackets. */
export function parseWebhookHosts(text: string | undefined): ReadonlySet<string> {
  const names = (text ?? '').split(',').map((name) => name.trim().toLowerCase())
  return new Set(names.filter((name) => name !== '').map((name) => name.replaceAll(/^\[|\]$/g, '')))
}

function hostOf(url: URL): string {
  return url.hostname.toLowerCase().replaceAll(/^\[|\]$/g, '')
}

type Lookup = (
  host: string,
  options: LookupOptions,
  callback: (error: Error | null, address: string | LookupAddress[], family?: number) => void,
) => void

/** Gives the connection only addresses that were checked: there is no second look-up to bend. */
function checkedLookup(
  resolveHost: ResolveWebhookHost,
  refusalOf: (address: string) => string | undefined,
): Lookup {
  return (host, options, callback) => {
    resolveHost(host, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return callback(new WebhookFailure(`${host} has no address`), '')
      const allowed = addresses.filter(({ address }) => refusalOf(address) === undefined)
      const [first] = allowed
      if (first === undefined) {
        const [refused] = addresses
        const reason = refused === undefined ? `${host} has no address` : refusalOf(refused.address)
        return callback(new WebhookFailure(reason), '')
      }
      if (options.all === true) callback(null, allowed)
      else callback(null, first.address, first.family)
    })
  }
}

async function post(url: URL, request: WebhookRequest, lookup: Lookup): Promise<WebhookResponse> {
  const { body, headers, signal } = request
  const { request: start } = await (url.protocol === 'https:' ? import('node:https') : import('node:http'))
  return await new Promise((resolve, reject) => {
    // no agent: a connection that others opened was checked by their rules
    const outgoing = start(url, {
      method: 'POST',
      headers: { ...headers, 'content-length': String(Buffer.byteLength(body)) },
      agent: false,
      signal,
      lookup,
    })
    outgoing.once('response', (response) => {
      const { statusCode: status = 0, headers: given } = response
      resolve({ status, retryAfterMs: parseRetryAfter(given['retry-after'] ?? null, Date.now()) })
      response.destroy()
    })
    outgoing.once('close', () => reject(new WebhookFailure('the connection broke')))
    outgoing.on('error', (error) => {
      if (error instanceof WebhookFailure) return reject(error)
      const code = 'code' in error && error.code !== 'ABORT_ERR' ? ` (${String(error.code)})` : ''
      reject(new WebhookFailure(`the connection failed or broke${code}`))
    })
    outgoing.end(body)
  })
}

import { isIP } from 'node:net'
import type { JsonObject } from '@homeward/contract/agent-platform'
import { isMetadataAddress, isLocalAddress, isPrivateAddress } from '@homeward/kit/node'

/** Where a skill's HTTP tools go, or why they cannot. */
export type BaseAddress =
  | { readonly url: URL; /** Whether a person chose it, not the skill. */ readonly chosen: boolean }
  | { readonly off: string }

/** What decides about a skill's base address. */
interface BaseAddressSources {
  /** The skill's config. */
  readonly config: JsonObject
  /** What the skill itself says. */
  readonly apiBase?: string | undefined
  /** The runtime's value for skills that say nothing. */
  readonly runtimeBase?: string | undefined
  /** Addresses of the platform, which no skill may act on. */
  readonly platformOrigins: readonly string[]
}

/** `base` or `api_base` of the skill's config, else the skill's own, else the runtime's (A17). */
export function resolveBase({
  config,
  apiBase,
  runtimeBase,
  platformOrigins,
}: BaseAddressSources): BaseAddress {
  const configured = text(config['base']) ?? text(config['api_base'])
  const given = configured ?? text(apiBase) ?? text(runtimeBase)
  if (given === undefined) {
    return { off: 'the base address is missing. Set "base" in the skill\'s config, or api_base in the skill' }
  }
  const url = URL.canParse(given) ? new URL(given) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol))
    return { off: 'its base address must be an http or https URL' }
  if (url.username !== '' || url.password !== '')
    return { off: 'its base address must not contain a user name or password' }
  const host = hostOf(url)
  if (isIP(host) !== 0 && isMetadataAddress(host))
    return { off: 'its base address must not be the metadata service of a cloud' }
  if (isPlatform(url, originsAt(url, platformOrigins)))
    return { off: 'its base address must not be this server itself' }
  return { url, chosen: configured !== undefined || text(apiBase) === undefined }
}

/** Says why an address may not be connected to; undefined for one that may. */
export type AddressPolicy = (address: string, port: number) => string | undefined

/**
 * Which addresses a base's host name may lead to. Private ones only where the base is one: by its address, as
 * `localhost`, or because a person wrote the name down. The rest is what a name was bent to.
 */
export function toAddressPolicy(
  base: URL,
  chosen: boolean,
  platformOrigins: readonly string[],
): AddressPolicy {
  const host = hostOf(base)
  const isLocalName = host === 'localhost' || host.endsWith('.localhost')
  const platformPorts = new Set(
    platformOrigins.filter((origin) => URL.canParse(origin)).map((origin) => portOf(new URL(origin))),
  )
  return (address, port) => {
    if (isMetadataAddress(address)) return 'it points to the metadata service of a cloud'
    if (platformPorts.has(port) && isLocalAddress(address)) return 'it points to this server itself'
    if (!isPrivateAddress(address)) return undefined
    const isBase = isIP(host) !== 0 || chosen || (isLocalName && isLocalAddress(address))
    return isBase ? undefined : 'it points to a private address'
  }
}

/** Name or IP address of a URL, without brackets. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '')
}

/** Port of a URL, the usual one included. */
export function portOf(url: URL): number {
  return url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port)
}

/** Those of the platform's addresses that a URL can reach: one with a path serves the platform below that path only. */
export function originsAt({ pathname }: URL, origins: readonly string[]): readonly string[] {
  return origins.filter((origin) => {
    const own = URL.canParse(origin) ? new URL(origin).pathname : '/'
    return own === '/' || pathname === own || pathname.startsWith(`${own.replace(/\/$/, '')}/`)
  })
}

/** Whether a URL leads to one of the platform's addresses, as far as its name tells. */
export function isPlatform(url: URL, origins: readonly string[]): boolean {
  const local = (candidate: URL): boolean => {
    const host = hostOf(candidate)
    return host === 'localhost' || host.endsWith('.localhost') || (isIP(host) !== 0 && isLocalAddress(host))
  }
  return origins.some((origin) => {
    if (!URL.canParse(origin)) return false
    const own = new URL(origin)
    return own.origin === url.origin || (portOf(own) === portOf(url) && local(own) && local(url))
  })
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined
}

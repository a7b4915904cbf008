import type { AddressPolicy } from '../http/base-address.ts'
import { hostOf, toAddressPolicy } from '../http/base-address.ts'
import { isPrivateAddress } from '@homeward/kit/node'

/** Which addresses may be fetched. */
export interface AllowedHosts {
  /** Rules for the connection to a URL; undefined if its host may not be fetched at all. */
  policyFor(url: URL): AddressPolicy | undefined
}

/**
 * Reads the setting `web_fetch_hosts`: host names separated by commas. `*` stands for every public host; a private one has to
 * be named.
 *
 * @returns undefined if the setting names none.
 */
export function toAllowedHosts(
  setting: string | undefined,
  platformOrigins: readonly string[],
): AllowedHosts | undefined {
  const names = new Set((setting ?? '').split(',').map((name) => toHost(name.trim())))
  names.delete('')
  if (names.size === 0) return undefined
  return {
    policyFor(url) {
      if (!/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') return undefined
      const isNamed = names.has(hostOf(url))
      if (!isNamed && !names.has('*')) return undefined
      const policy = toAddressPolicy(url, isNamed, platformOrigins)
      if (isNamed) return policy
      return (address, port) =>
        isPrivateAddress(address)
          ? 'it points to a private address that web_fetch_hosts does not list'
          : policy(address, port)
    },
  }
}

/** A name as it is in a URL: there are several ways to write an address, and a name may end in a dot. */
function toHost(name: string): string {
  if (name === '' || name === '*') return name
  const url = URL.parse(`http://${name.includes(':') ? `[${name}]` : name}`)
  return url ? hostOf(url) : name
}

import type { RequestView } from '@homeward/contract/handler'

/**
 * The address that a call came from. `X-Forwarded-For` counts only as far as trusted proxies wrote it: from the right,
 * the first address that is not one of them.
 */
export function createClientAddress(trustedProxies: readonly string[]): (request: RequestView) => string {
  const trusted = new Set(trustedProxies.map(toPlainAddress))
  return (request) => {
    const direct = toPlainAddress(request.remoteAddress ?? 'unknown')
    if (!trusted.has(direct)) return direct
    const hops = (request.header('x-forwarded-for') ?? '').split(',').map((hop) => toPlainAddress(hop.trim()))
    return hops.findLast((hop) => hop !== '' && !trusted.has(hop)) ?? direct
  }
}

const ipv4 = String.raw`\d{1,3}(?:\.\d{1,3}){3}`
/** As a socket of IPv6 shows an address of IPv4, or as some proxies write addresses: with a port. */
const wrapped = new RegExp(String.raw`^(?:::ffff:(${ipv4})|(${ipv4}):\d+|\[([^\]]+)\](?::\d+)?)$`, 'i')

/** The address alone: whoever names a trusted proxy does not know how a socket or another proxy writes it. */
function toPlainAddress(text: string): string {
  const found = wrapped.exec(text)
  return found?.[1] ?? found?.[2] ?? found?.[3] ?? text
}

/**
 * What limits count an address as. Of IPv6 that is its network of 64 bits: a single caller has all of its addresses, and
 * would have a limit for each.
 */
export function toLimitKey(address: string): string {
  if (!address.includes(':')) return address
  const [head = '', tail] = address.split('::')
  const before = head === '' ? [] : head.split(':')
  const behind = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - before.length - behind.length)
  const groups = [...before, ...Array<string>(zeros).fill('0'), ...behind]
  return `${groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':')
    .toLowerCase()}::/64`
}

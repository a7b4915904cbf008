/** The parts of a request that say where it came from. */
interface ProxiedRequest {
  /** Address of the connection. */
  readonly remoteAddress: string | undefined
  /** Value of a header; `name` in lower case. */
  header(name: string): string | undefined
}

/**
 * Creates a function that finds the client address of a request.
 *
 * `X-Forwarded-For` is read from the right: the first address that is not a trusted proxy is the client. Without
 * trusted proxies the header is ignored.
 *
 * @example
 * const clientAddress = createClientAddress(['10.0.0.1'])
 * clientAddress({ remoteAddress: '10.0.0.1', header: () => '203.0.113.7' }) // '203.0.113.7'
 * clientAddress({ remoteAddress: '198.51.100.9', header: () => '203.0.113.7' }) // '198.51.100.9'
 */
export function createClientAddress(trustedProxies: readonly string[]): (request: ProxiedRequest) => string {
  const trusted = new Set(trustedProxies.map(toPlainAddress))
  return (request) => {
    const direct = toPlainAddress(request.remoteAddress ?? 'unknown')
    if (!trusted.has(direct)) return direct
    const hops = (request.header('x-forwarded-for') ?? '').split(',').map((hop) => toPlainAddress(hop.trim()))
    return hops.findLast((hop) => hop !== '' && !trusted.has(hop)) ?? direct
  }
}

/**
 * Creates a function that finds the origin by which a client reached the server.
 *
 * `X-Forwarded-Proto` is used only if a trusted proxy wrote it, because the server itself sees only the connection of
 * the proxy.
 *
 * @example
 * const requestOrigin = createRequestOrigin(['10.0.0.1'])
 * const header = (name: string) => ({ 'x-forwarded-proto': 'https', host: 'cloud.example' })[name]
 * requestOrigin({ remoteAddress: '10.0.0.1', origin: 'http://cloud.example', header }) // 'https://cloud.example'
 */
export function createRequestOrigin(
  trustedProxies: readonly string[],
): (request: ProxiedRequest & { readonly origin: string }) => string {
  const trusted = new Set(trustedProxies.map(toPlainAddress))
  return (request) => {
    if (!trusted.has(toPlainAddress(request.remoteAddress ?? 'unknown'))) return request.origin
    const scheme = request.header('x-forwarded-proto')?.split(',')[0]?.trim().toLowerCase()
    if (scheme !== 'https' && scheme !== 'http') return request.origin
    const { host } = new URL(request.origin)
    return URL.parse(`${scheme}://${request.header('host') ?? host}`)?.origin ?? request.origin
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

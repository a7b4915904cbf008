import type { RequestView } from '@homeward/contract/handler'

/**
 * The address that limits count by. `X-Forwarded-For` counts only as far as trusted proxies wrote it: from the right,
 * the first address that is not one of them.
 */
export function createClientAddress(trustedProxies: readonly string[]): (request: RequestView) => string {
  const trusted = new Set(trustedProxies)
  return (request) => {
    const direct = request.remoteAddress ?? 'unknown'
    if (!trusted.has(direct)) return direct
    const hops = (request.header('x-forwarded-for') ?? '').split(',').map((hop) => hop.trim())
    return hops.findLast((hop) => hop !== '' && !trusted.has(hop)) ?? direct
  }
}

import { toFetch } from '../handler/fetch-handler.ts'
import type { Respond } from '../handler/create-handler.ts'
import type { RequestView } from '../handler/request-view.ts'

/** Headers of the MCP request that are about its own body or answer, and do not hold for the calls that a tool makes. */
const own = /^(?:accept|content-|transfer-encoding|range$|if-|last-event-id$|prefer$|expect$|mcp-)/

/**
 * A `fetch` for the calls that tools make. It reaches the handler in process, on behalf of the caller of the MCP request: with
 * the same credentials, `Host`, `Origin` and address.
 */
export function createInnerFetch(
  respond: Respond,
  outer: RequestView,
): (url: string, init: RequestInit) => Promise<Response> {
  const fetch = toFetch((request) => respond(onBehalfOf(outer, request)))
  return (url, init) => fetch(new Request(url, init))
}

function onBehalfOf(outer: RequestView, inner: RequestView): RequestView {
  return {
    method: inner.method,
    path: inner.path,
    search: inner.search,
    origin: outer.origin,
    remoteAddress: outer.remoteAddress,
    signal: inner.signal,
    // `host` of the inner request would be that of its made-up address
    header: (name) => (name !== 'host' ? inner.header(name) : undefined) ?? outerHeader(outer, name),
    body: () => inner.body(),
  }
}

function outerHeader(outer: RequestView, name: string): string | undefined {
  return own.test(name) ? undefined : outer.header(name)
}

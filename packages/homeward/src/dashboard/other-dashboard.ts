import { isLoopback } from '../settings/settings.ts'

const everywhere = new Set(['0.0.0.0', '::'])

/** A server as the page of the other one links to it. */
export interface NeighbourServer {
  /** Where it listens. */
  readonly host: string
  /** An address of it that works on this machine: `http://127.0.0.1:3010`. */
  readonly url: string
}

/**
 * Where a page leads to the server beside its own: by the name that the page itself was opened with where that works, since
 * a browser keeps things apart by name.
 *
 * @returns null when whoever opened the page cannot reach the other one.
 */
export function otherDashboard(request: Request, other: NeighbourServer | undefined): { url: string } | null {
  if (other === undefined) return null
  const { hostname } = new URL(request.url)
  const isLocal = isLoopback(hostname.replace(/^\[|\]$/g, ''))
  const isOtherLocal = isLoopback(other.host)
  if (!isLocal && isOtherLocal) return null
  const url = new URL(other.url)
  if (everywhere.has(other.host) || (isLocal && isOtherLocal)) url.hostname = hostname
  return { url: url.origin }
}

import { HttpError } from './http-error.ts'
import type { RequestView } from './request-view.ts'

/** Accepted host names, and sites that may call the server from a browser. */
export interface AccessGuardOptions {
  /** Accepted `Host` headers with port, such as `127.0.0.1:3000`. */
  readonly hosts: readonly string[]
  /**
   * Accepted `Origin` headers in addition to the server's own, such as `https://console.example`.
   *
   * @default no others
   */
  readonly origins?: readonly string[]
}

/**
 * Creates a guard that rejects requests with a foreign `Host` (DNS rebinding, CVE-2025-66414) or `Origin`.
 *
 * Case and the default ports 80 and 443 are ignored. Every accepted host is also an accepted origin, so
 * `http://localhost:3000` and `http://127.0.0.1:3000` are one server. A request without `Origin` does not come from a
 * web page and is accepted.
 *
 * @throws {TypeError} if `hosts` or `origins` is not a list of strings.
 * @example
 * const guard = createAccessGuard({ hosts: ['127.0.0.1:3000', 'localhost:3000'] })
 */
export function createAccessGuard(
  options: AccessGuardOptions,
): (request: Pick<RequestView, 'header'>) => void {
  checkTexts('hosts', options?.hosts)
  if (options.origins !== undefined) checkTexts('origins', options.origins)
  const hosts = new Set(options.hosts.map(toPlainHost))
  const origins = new Set(options.origins?.map(toPlainOrigin))
  for (const host of [...hosts, ...options.hosts]) {
    origins.add(toPlainOrigin(`http://${host}`))
    origins.add(toPlainOrigin(`https://${host}`))
  }

  return (request) => {
    const host = request.header('host')
    if (host === undefined || !(hosts.has(host) || hosts.has(toPlainHost(host)))) {
      throw new HttpError(403, {
        error: 'Forbidden',
        message:
          `This server does not accept that host name: ${JSON.stringify(host?.slice(0, 200) ?? '')}. ` +
          'The port must match too, unless it is 80 or 443. Use an address that the server was started with.',
      })
    }
    const origin = request.header('origin')
    if (origin !== undefined && !origins.has(toPlainOrigin(origin))) {
      throw new HttpError(403, { error: 'Forbidden', message: 'Requests from that origin are not allowed.' })
    }
  }
}

/** A host as it is compared: case does not count, nor does the default port of a scheme. */
const toPlainHost = (host: string): string => host.toLowerCase().replace(/:(?:80|443)$/, '')

/** An origin as browsers write it. */
function toPlainOrigin(text: string): string {
  const origin = URL.parse(text)?.origin
  return origin === undefined || origin === 'null' ? text : origin
}

/** A single text in the place of a list would be taken apart into its letters. */
function checkTexts(name: string, value: unknown): void {
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return
  throw new TypeError(`Creating the access guard failed: "${name}" must be a list of strings.`)
}

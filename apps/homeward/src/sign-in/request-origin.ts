import type { IncomingHttpHeaders } from 'node:http'

/**
 * The origin at which a browser sees this server, as browsers write it: `https://cloud.example`, without the port of the
 * scheme and in lowercase. The host was checked before. The scheme is the
 * proxy's word: a caller who lies about it gets cookies and an address to return to that do not work for the caller itself.
 *
 * @param publicUrl the address of the settings, for a proxy that does not name the scheme
 */
export function originOf(headers: Readonly<IncomingHttpHeaders>, publicUrl: string | undefined): string {
  const { host = 'localhost', 'x-forwarded-proto': given } = headers
  const [scheme] = (Array.isArray(given) ? given[0] : given)?.split(',') ?? []
  if (scheme !== undefined) return toOrigin(/^https$/i.test(scheme.trim()) ? 'https' : 'http', host)
  const known = publicUrl === undefined ? null : URL.parse(publicUrl)
  return known?.origin === toOrigin('https', host) ? known.origin : toOrigin('http', host)
}

function toOrigin(scheme: string, host: string): string {
  return URL.parse(`${scheme}://${host}`)?.origin ?? `${scheme}://${host}`
}

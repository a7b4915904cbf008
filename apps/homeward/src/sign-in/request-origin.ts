import type { IncomingHttpHeaders } from 'node:http'

/**
 * The origin at which a browser sees this server: `https://cloud.example`. The host was checked before. The scheme is the
 * proxy's word: a caller who lies about it gets cookies and an address to return to that do not work for the caller itself.
 *
 * @param publicUrl the address of the settings, for a proxy that does not name the scheme
 */
export function originOf(headers: Readonly<IncomingHttpHeaders>, publicUrl: string | undefined): string {
  const { host = 'localhost', 'x-forwarded-proto': given } = headers
  const [scheme] = (Array.isArray(given) ? given[0] : given)?.split(',') ?? []
  if (scheme !== undefined) return `${scheme.trim() === 'https' ? 'https' : 'http'}://${host}`
  const known = publicUrl === undefined ? null : URL.parse(publicUrl)
  return known?.host === host ? known.origin : `http://${host}`
}

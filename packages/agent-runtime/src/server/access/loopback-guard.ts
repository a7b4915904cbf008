import { HttpError, type RequestView } from '@homeward/contract/handler'

const loopback = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/i

/**
 * Lets only pass what calls the server by a loopback name, on whatever port, and from a page of that same server: a
 * foreign name is how DNS rebinding looks (CVE-2025-66414). For a server under other names see `createAccessGuard`.
 */
export function loopbackGuard(request: Pick<RequestView, 'header'>): void {
  const host = request.header('host')
  if (host === undefined || !loopback.test(host)) {
    throw new HttpError(403, {
      error: 'Forbidden',
      message: 'This host name is not allowed. Call the server as 127.0.0.1 or localhost.',
    })
  }
  const origin = request.header('origin')?.toLowerCase()
  if (origin === undefined) return
  if (origin !== `http://${host.toLowerCase()}` && origin !== `https://${host.toLowerCase()}`) {
    throw new HttpError(403, { error: 'Forbidden', message: 'Requests from this origin are not allowed.' })
  }
}

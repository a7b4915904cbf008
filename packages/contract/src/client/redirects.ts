import { ClientError } from './client-error.ts'

/** What a message about a redirect says. */
interface RedirectedCall {
  readonly href: string
  readonly origin: string
  readonly attempt: string
  readonly hide: (text: string) => string
}

/** Throws for an answer that points elsewhere. */
export function refuseRedirect(call: RedirectedCall, response: Response): void {
  const { status, type, redirected, body } = response
  if (!redirected && type !== 'opaqueredirect' && (status < 300 || status > 399)) return
  void body?.cancel().catch(() => {})
  const location = redirected ? response.url : response.headers.get('location')
  const target = location === null ? null : URL.parse(location, call.href)
  throw toRedirectError(call, target?.origin ?? 'an address it did not name', status)
}

/** @param target Origin that the answer pointed to, as far as it is known. */
export function toRedirectError(call: RedirectedCall, target: string, status?: number): ClientError {
  const message =
    `${call.attempt}: ${call.origin} redirected to ${target}. ` +
    'Redirects are not followed; set the base URL to the final address.'
  return new ClientError('REDIRECTED', call.hide(message), status === undefined ? {} : { status })
}

/** Whether `fetch` failed because of `redirect: 'error'`, as far as the platform says so. */
export function isRefusedRedirect(error: unknown, depth = 0): boolean {
  // causes may go in a circle
  if (depth > 5 || !(error instanceof Error)) return false
  return /unexpected redirect/i.test(error.message) || isRefusedRedirect(error.cause, depth + 1)
}

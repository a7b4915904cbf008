import type { Deadline } from './deadline.ts'
import type { Fetch } from './fetch-option.ts'
import { HttpFailure } from './http-failure.ts'

/** A single HTTP request. */
export interface Exchange {
  /** The fetch function to use, from `toFetch`. */
  readonly fetch: Fetch
  readonly url: string
  readonly init: RequestInit
  readonly deadline: Deadline
  /** Whether redirect responses are returned to the caller. @default false: the request fails with `REDIRECTED` */
  readonly passesRedirects?: boolean
}

/**
 * Sends a request and returns the response before its body is read. Redirects are not followed, because the
 * credentials are meant for one address only.
 *
 * @throws {HttpFailure}, or the reason of the deadline's signal.
 */
export async function sendRequest({
  fetch,
  url,
  init,
  deadline,
  passesRedirects = false,
}: Exchange): Promise<Response> {
  // undici keeps a copy of a streamed body, all of it, unless a redirect is an error.
  const redirect = init.body instanceof ReadableStream ? 'error' : 'manual'
  const streaming = redirect === 'error' ? { duplex: 'half' } : {}
  let response: Response
  try {
    response = await deadline.race(fetch(url, { ...init, ...streaming, redirect, signal: deadline.signal }))
  } catch (error) {
    throw toHttpFailure(error, deadline.signal)
  }
  if (!passesRedirects && isRedirect(response)) throw refuseRedirect(url, response)
  return response
}

/** What a request failed with: the reason of the signal once that has aborted, else an {@link HttpFailure}. */
export function toHttpFailure(error: unknown, signal: AbortSignal | undefined): unknown {
  if (signal?.aborted) return signal.reason
  if (error instanceof HttpFailure) return error
  if (isRefusedRedirect(error)) return new HttpFailure('REDIRECTED', 'The response was a redirect')
  return new HttpFailure('UNREACHABLE', 'No response came, or the connection broke', { cause: error })
}

/** 304 points nowhere, and 308 without a place to go is how resumable uploads say that they want more. */
function isRedirect({ status, type, redirected, headers }: Response): boolean {
  if (redirected || type === 'opaqueredirect') return true
  return status >= 300 && status < 400 && status !== 304 && (status !== 308 || headers.has('location'))
}

function refuseRedirect(from: string, response: Response): HttpFailure {
  const { status, headers, redirected, body } = response
  void body?.cancel().catch(() => {})
  const location = redirected ? response.url : headers.get('location')
  const target = location === null ? null : URL.parse(location, from)
  const details = target === null ? { status } : { status, target: target.origin }
  return new HttpFailure('REDIRECTED', 'The response was a redirect', details)
}

/** Whether `fetch` failed because of `redirect: 'error'`, as far as the platform says so. */
function isRefusedRedirect(error: unknown, depth = 0): boolean {
  // causes may go in a circle
  if (depth > 5 || !(error instanceof Error)) return false
  return /unexpected redirect/i.test(error.message) || isRefusedRedirect(error.cause, depth + 1)
}

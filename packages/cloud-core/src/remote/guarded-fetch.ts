import { boundedFetch, type Fetch, type FetchOption, HttpFailure } from '@homeward/kit/http'
import { RemoteFailure } from './remote-failure.ts'

/** How {@link guardFetch} watches over requests. */
interface FetchGuard {
  /** @default the global `fetch` */
  readonly fetch?: FetchOption | undefined
  /** Milliseconds without an answer, or without any more of one, until a request is given up. */
  readonly timeoutMs: number
  /** Largest answer in bytes. */
  readonly maxReplyBytes: number
  readonly signal: AbortSignal
}

/**
 * A `fetch` that follows no redirect (a signed request or a file must not go to another host), that gives up on an answer
 * that does not go on, and that takes no more of it than expected. Rejects with the reason of `signal`, or with a
 * {@link RemoteFailure}.
 */
export function guardFetch({ fetch, timeoutMs, maxReplyBytes: maxBytes, signal }: FetchGuard): Fetch {
  const toError = (error: unknown) => toRemoteFailure(error, timeoutMs)
  return boundedFetch({ fetch, timeoutMs, timeoutFor: 'silence', maxBytes, signal, toError })
}

/** No cause: what the platform reports may quote an address that works without a key. */
function toRemoteFailure(error: unknown, timeoutMs: number): RemoteFailure {
  const { code, status = 0 } = error instanceof HttpFailure ? error : {}
  if (code === 'TIMEOUT') return new RemoteFailure(`the service sent nothing for ${timeoutMs} ms`)
  if (code === 'TOO_LARGE')
    return new RemoteFailure('the response of the service is too large', { transient: false })
  if (code === 'REDIRECTED') {
    const reason = 'the service redirected to another address, and redirects are not followed'
    return new RemoteFailure(reason, { status, transient: false })
  }
  return new RemoteFailure('the service cannot be reached, or the connection broke')
}

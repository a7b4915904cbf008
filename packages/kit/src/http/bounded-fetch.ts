import { boundResponse } from './bound-body.ts'
import { startDeadline } from './deadline.ts'
import { sendRequest } from './exchange.ts'
import type { Fetch, FetchOption } from './fetch-option.ts'
import { toFetch } from './to-fetch.ts'

/** Limits for HTTP requests. */
export interface HttpBounds {
  /** The fetch function to use. @default the global `fetch` */
  readonly fetch?: FetchOption | undefined
  /** Time limit in milliseconds. `timeoutFor` says whether it covers the request or each silence. */
  readonly timeoutMs: number
  /**
   * `all`: the request and its whole response. `silence`: each wait for the response or for more of its body.
   *
   * @default "all"
   */
  readonly timeoutFor?: 'all' | 'silence'
  /** Maximum number of bytes of a response, after decompression. @default no limit */
  readonly maxBytes?: number
  /** Cancels requests. They and the bodies being read reject with its reason. */
  readonly signal?: AbortSignal | undefined
  /**
   * Creates the error for failed requests and bodies, except for the reason of `signal`.
   *
   * @default the {@link HttpFailure}
   */
  readonly toError?: (error: unknown) => unknown
}

/**
 * Creates a `fetch` with a time limit, a size limit and without redirects. Each call sends one request.
 *
 * @throws {HttpFailure} from the calls and from reading their bodies. Both reject with the signal's reason when the
 * signal aborts.
 * @example
 * const fetch = boundedFetch({ timeoutMs: 15_000, maxBytes: 1024 * 1024 })
 * const text = await (await fetch('https://api.example/me', { headers })).text()
 */
export function boundedFetch(bounds: HttpBounds): Fetch {
  const { timeoutMs, timeoutFor = 'all', signal, maxBytes } = bounds
  const fetch = toFetch(bounds.fetch)
  const toError = (error: unknown) =>
    bounds.toError === undefined || (signal?.aborted && error === signal.reason)
      ? error
      : bounds.toError(error)
  const restarts = timeoutFor === 'all' ? 'never' : 'read'
  return async (url, init) => {
    signal?.throwIfAborted()
    const deadline = startDeadline(timeoutMs, signal)
    try {
      const response = await sendRequest({ fetch, url, init, deadline })
      return boundResponse(response, {
        deadline,
        restarts,
        toError,
        ...(maxBytes === undefined ? {} : { maxBytes }),
      })
    } catch (error) {
      deadline.end()
      throw toError(error)
    }
  }
}

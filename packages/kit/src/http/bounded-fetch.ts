import { boundResponse } from './bound-body.ts'
import { startDeadline } from './deadline.ts'
import { sendRequest } from './exchange.ts'
import type { Fetch, FetchOption } from './fetch-option.ts'
import { toFetch } from './to-fetch.ts'

/** Limits of requests. */
export interface HttpBounds {
  /** @default the global `fetch` */
  readonly fetch?: FetchOption | undefined
  /** Milliseconds until a request is given up; what they count is said by `timeoutFor`. */
  readonly timeoutMs: number
  /** `all`: the request and all of its answer. `silence`: each wait for the answer, or for more of it. @default "all" */
  readonly timeoutFor?: 'all' | 'silence'
  /** Most bytes of an answer, after decompression. @default no limit */
  readonly maxBytes?: number
  /** Gives requests up; they reject with its reason, and so do the bodies that are being read. */
  readonly signal?: AbortSignal | undefined
  /** Makes what requests and bodies fail with, except for the reason of `signal`. @default the {@link HttpFailure} */
  readonly toError?: (error: unknown) => unknown
}

/**
 * A `fetch` within limits: a deadline, a size, and no redirect followed. Each call is one request.
 *
 * @throws {HttpFailure} from the calls and from reading their bodies; both reject with the signal's reason when that aborts.
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

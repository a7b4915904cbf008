import { createFetch, ofetch } from 'ofetch'
import type { Fetch, FetchOption, OfetchInstance } from './fetch-option.ts'

/**
 * Converts the `fetch` option of an app to a plain `fetch`.
 *
 * Each call sends one request through ofetch, so that its interceptors run. The promise resolves with every response,
 * whatever its status, before the body is read. It rejects with the network error.
 *
 * @param given @default the global `fetch`, looked up at each call
 */
export function toFetch(given?: FetchOption): Fetch {
  const instance = toInstance(given)
  return async (url, init) => {
    try {
      return await instance.raw(url, toOptions(init))
    } catch (error) {
      return unwrap(error)
    }
  }
}

function toInstance(given: FetchOption | undefined): OfetchInstance {
  if (given === undefined) return ofetch
  if ('raw' in given) return given
  // ofetch passes the text that it was called with; its type is that of the global `fetch`.
  return createFetch({ fetch: given as typeof globalThis.fetch })
}

/** Options that win over the defaults of an instance. */
function toOptions(init: RequestInit): object {
  const headers = new Headers(init.headers)
  // ofetch takes any text for JSON and says so to the server; these are the headers of a plain `fetch`.
  if (!headers.has('accept')) headers.set('accept', '*/*')
  if (typeof init.body === 'string' && !headers.has('content-type'))
    headers.set('content-type', 'text/plain;charset=UTF-8')
  return {
    ...init,
    headers,
    // Its retry uses the signal of the attempt that has timed out, ignores `Retry-After`, and delays an abort.
    retry: false,
    // Neither may read the body: size and time are counted by us.
    responseType: 'stream',
    parseResponse: undefined,
  }
}

/**
 * The answer, where ofetch made an error of its status; else throws what ofetch wrapped. Its own error is never passed on:
 * the message holds the address, and it leads to the headers of the request.
 */
function unwrap(error: unknown): Response {
  let inner = error
  while (inner instanceof Error && inner.name === 'FetchError') {
    const response: unknown = Reflect.get(inner, 'response')
    if (response instanceof Response) return response
    inner = inner.cause ?? new TypeError('fetch failed')
  }
  throw inner
}

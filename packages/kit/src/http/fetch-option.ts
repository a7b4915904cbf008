/** A `fetch`, as far as our packages call it. */
export type Fetch = (input: string, init: RequestInit) => Promise<Response>

/**
 * An instance of ofetch, as far as our packages call it: `ofetch`, or the result of `ofetch.create()`. Described here
 * instead of imported, because ofetch's own types need `undici`.
 */
export interface OfetchInstance {
  /** Sends a request and gives the whole response. */
  raw(request: string, options: object): Promise<Response>
}

/**
 * What an app can pass as `fetch`: a plain `fetch`, or an ofetch instance whose interceptors (`onRequest`, `onResponse`, …)
 * then run for every request. Its own `retry`, `timeout`, `responseType` and `parseResponse` do not apply.
 */
export type FetchOption = Fetch | OfetchInstance

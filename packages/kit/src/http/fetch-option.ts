/** The part of the `fetch` signature that the packages use. */
export type Fetch = (input: string, init: RequestInit) => Promise<Response>

/**
 * The part of an ofetch instance that the packages use: `ofetch`, or the result of `ofetch.create()`. Defined here
 * because ofetch's own types need `undici`.
 */
export interface OfetchInstance {
  /** Sends a request and returns the whole response. */
  raw(request: string, options: object): Promise<Response>
}

/**
 * The `fetch` option of an app: a plain `fetch`, or an ofetch instance.
 *
 * The interceptors of an ofetch instance (`onRequest`, `onResponse`, …) run for every request. Its `retry`,
 * `timeout`, `responseType` and `parseResponse` do not apply.
 */
export type FetchOption = Fetch | OfetchInstance

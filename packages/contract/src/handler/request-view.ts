/** The part of a request that a handler reads, without a `Request` object. */
export interface RequestView {
  /** HTTP method in uppercase. */
  readonly method: string
  /** Path without the query as received, still percent-encoded. */
  readonly path: string
  /** Query string without `?`; empty if there is none. */
  readonly search: string
  /** Scheme and host by which the client reached the server, such as `http://127.0.0.1:3000`. */
  readonly origin: string
  /** Address of the caller. Undefined if your server does not know it. */
  readonly remoteAddress: string | undefined
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal
  /** Whether a middleware has already read the body, which is an error of the server. @default unknown */
  readonly isRead?: boolean
  /** Returns the value of a header; `name` in lowercase. Repeated headers are joined by `, `. */
  header(name: string): string | undefined
  /** Returns the bytes of the body as they arrive. Can be called once. */
  body(): AsyncIterable<Uint8Array>
  /**
   * Reads all bytes of the body at once, instead of {@link body}. Returns undefined if it has more than `maxBytes`.
   * If missing, `body()` is used.
   */
  readBody?(maxBytes: number): Promise<Uint8Array | undefined>
}

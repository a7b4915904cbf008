/**
 * What a handler reads of a request: the little it needs, so that no `Request` object has to be built
 * where the host has something cheaper.
 */
export interface RequestView {
  /** Upper case. */
  readonly method: string
  /** Path without query, as received: still percent-encoded. */
  readonly path: string
  /** Query string without `?`; empty when there is none. */
  readonly search: string
  /** Scheme and host by which the caller reached the server: `http://127.0.0.1:3000`. */
  readonly origin: string
  /** Address of the caller. Undefined if your server does not know it. */
  readonly remoteAddress: string | undefined
  /** Aborts when the caller goes away. */
  readonly signal: AbortSignal
  /** Whether a middleware has already read the body, which is an error of the server. @default not known */
  readonly isRead?: boolean
  /** Value of a header; `name` in lower case. Repeated headers are joined by `, `. */
  header(name: string): string | undefined
  /** Bytes of the body as they arrive; can be read once. */
  body(): AsyncIterable<Uint8Array>
  /**
   * All bytes of the body at once, instead of {@link body}; undefined when there are more than `maxBytes`. Where a
   * host does not have it, `body()` is read.
   */
  readBody?(maxBytes: number): Promise<Uint8Array | undefined>
}

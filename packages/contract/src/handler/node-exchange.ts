/**
 * The part of a `node:http` request that a handler uses.
 *
 * Defined here, so that programs without Node's types, such as Workers, can use the types of a handler.
 */
export interface NodeRequest {
  readonly method?: string | undefined
  readonly url?: string | undefined
  /** The whole request target, if a framework removed the mount path from `url`. */
  readonly originalUrl?: string | undefined
  readonly headers: Readonly<Record<string, string | string[] | undefined>> & {
    readonly host?: string | undefined
  }
  /** Alternating header names and values as received. Not available in every runtime. */
  readonly rawHeaders?: readonly string[]
  readonly socket: {
    readonly remoteAddress?: string | undefined
    /** Whether the client has finished sending. It may still receive. */
    readonly readableEnded?: boolean
    once?(event: 'end', listener: () => void): unknown
    off?(event: 'end', listener: () => void): unknown
  }
  readonly destroyed: boolean
  readonly readableEnded: boolean
  /** Iterates over the chunks of the body. */
  iterator(options: { readonly destroyOnReturn: boolean }): AsyncIterable<Uint8Array>
  /** Adds a listener for chunks of the body. */
  on(event: 'data', listener: (chunk: Uint8Array) => void): unknown
  /** Adds a listener for the end of the body. */
  on(event: 'end', listener: () => void): unknown
  /** Adds a listener for an aborted request. */
  on(event: 'error', listener: (error: Error) => void): unknown
  /** Reads the rest of the body and discards it. */
  resume(): unknown
}

/** The part of a `node:http` response that a handler uses. */
export interface NodeResponse {
  readonly req: {
    readonly method?: string | undefined
    /** Whether the whole request body was received. */
    readonly complete: boolean
    readonly destroyed: boolean
    once(event: 'close', listener: () => void): unknown
    resume(): unknown
  }
  /** Whether the connection stays open after the response. Not available in every runtime. */
  readonly shouldKeepAlive?: boolean
  readonly destroyed: boolean
  readonly writableFinished: boolean
  /** Sends status and headers. @param headers alternating names and values */
  writeHead(status: number, headers: string[]): unknown
  /** Sends the headers before the body. */
  flushHeaders(): unknown
  /** Writes a part of the body. @returns false if the caller should wait for `drain`. */
  write(chunk: Uint8Array | string): boolean
  /** Ends the response, optionally with a last text. */
  end(text?: string): unknown
  /** Closes the connection. */
  destroy(): unknown
  /** Adds a one-time listener: for a closed connection, or for `drain`. */
  once(event: 'close' | 'drain', listener: () => void): unknown
  /** Removes a listener. */
  off(event: 'close' | 'drain', listener: () => void): unknown
}

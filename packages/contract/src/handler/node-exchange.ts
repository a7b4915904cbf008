/**
 * What a handler uses of a request of `node:http`. Said here, and not imported from `node:http`, so that a program without
 * the types of Node, such as a Worker, can read the types of a handler.
 */
export interface NodeRequest {
  readonly method?: string | undefined
  readonly url?: string | undefined
  readonly headers: Readonly<Record<string, string | string[] | undefined>> & {
    readonly host?: string | undefined
  }
  readonly socket: { readonly remoteAddress?: string | undefined }
  readonly destroyed: boolean
  readonly readableEnded: boolean
  iterator(options: { readonly destroyOnReturn: boolean }): AsyncIterable<Uint8Array>
  on(event: 'data', listener: (chunk: Uint8Array) => void): unknown
  on(event: 'end', listener: () => void): unknown
  on(event: 'error', listener: (error: Error) => void): unknown
  resume(): unknown
}

/** What a handler uses of a response of `node:http`. */
export interface NodeResponse {
  readonly req: {
    readonly method?: string | undefined
    /** Whether all of the request's body has come. */
    readonly complete: boolean
    readonly destroyed: boolean
    once(event: 'close', listener: () => void): unknown
    resume(): unknown
  }
  /** Whether the connection is kept behind the answer; not every runtime says so. */
  readonly shouldKeepAlive?: boolean
  readonly destroyed: boolean
  readonly writableFinished: boolean
  /** @param headers - names and values in turn */
  writeHead(status: number, headers: string[]): unknown
  flushHeaders(): unknown
  write(chunk: Uint8Array | string): boolean
  end(text?: string): unknown
  destroy(): unknown
  once(event: 'close' | 'drain', listener: () => void): unknown
  off(event: 'close' | 'drain', listener: () => void): unknown
}

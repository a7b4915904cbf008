/**
 * What a handler uses of a request of `node:http`. Said here, and not imported from `node:http`, so that a program without
 * the types of Node, such as a Worker, can read the types of a handler.
 */
export interface NodeRequest {
  readonly method?: string | undefined
  readonly url?: string | undefined
  /** The whole target, where a framework has cut the path of a mount off `url`. */
  readonly originalUrl?: string | undefined
  readonly headers: Readonly<Record<string, string | string[] | undefined>> & {
    readonly host?: string | undefined
  }
  /** Names and values in turn, as they came; not every runtime has it. */
  readonly rawHeaders?: readonly string[]
  readonly socket: {
    readonly remoteAddress?: string | undefined
    /** Whether the caller sends no more; it may listen on. */
    readonly readableEnded?: boolean
    once?(event: 'end', listener: () => void): unknown
    off?(event: 'end', listener: () => void): unknown
  }
  readonly destroyed: boolean
  readonly readableEnded: boolean
  /** The chunks of the body. */
  iterator(options: { readonly destroyOnReturn: boolean }): AsyncIterable<Uint8Array>
  /** Hears of the body as it comes. */
  on(event: 'data', listener: (chunk: Uint8Array) => void): unknown
  /** Hears that all of it has come. */
  on(event: 'end', listener: () => void): unknown
  /** Hears that no more will come. */
  on(event: 'error', listener: (error: Error) => void): unknown
  /** Takes the rest of the body, and discards it. */
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
  /** Sends the head before there is a body. */
  flushHeaders(): unknown
  /** @returns whether more may follow before `drain`. */
  write(chunk: Uint8Array | string): boolean
  /** Ends the answer, with a last text if there is one. */
  end(text?: string): unknown
  /** Cuts the connection. */
  destroy(): unknown
  /** Hears of it once: the connection is gone, or takes more. */
  once(event: 'close' | 'drain', listener: () => void): unknown
  /** Hears of it no longer. */
  off(event: 'close' | 'drain', listener: () => void): unknown
}

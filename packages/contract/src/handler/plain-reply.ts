/** An answer before it is written: no `Response` object has to be built where the host has something cheaper. */
export interface PlainReply {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** Null where the status has none, such as 204. */
  readonly body: string | ReadableStream<Uint8Array> | null
}

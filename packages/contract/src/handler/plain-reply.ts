/** A response before it is written, without a `Response` object. */
export interface PlainReply {
  readonly status: number
  /** Headers with lowercase names. */
  readonly headers: Readonly<Record<string, string>>
  /** Body; null for a status without one, such as 204. */
  readonly body: string | ReadableStream<Uint8Array> | null
}

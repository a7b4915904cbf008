/** Connection of an event socket, for any WebSocket library. */
export interface EventTransport {
  /** Sends a text frame. If it returns a promise, the next event waits for it. */
  send(text: string): void | Promise<void>
  /** Closes the connection with a code and a reason of at most 123 bytes. */
  close(code: number, reason: string): void
  /** Returns the number of unsent bytes. Without it, a slow client is detected only by the promises of `send`. */
  bufferedBytes?(): number
  /** Sends a protocol ping, so that no proxy treats the connection as idle. */
  ping?(): void
}

/** Limits of one client: its messages, and the data that waits for it. */
export interface EventSocketLimits {
  /** Number of unsent bytes above which no more events are read for a client. @default 1 MiB */
  readonly maxBufferedBytes?: number
  /** Time above that limit after which the client is disconnected with code 1013, in milliseconds. @default 10000 */
  readonly slowClientMs?: number
  /** Maximum size of a client message in bytes. A larger one closes the connection with code 1009. @default 16384 */
  readonly maxMessageBytes?: number
  /** Maximum number of client messages within ten seconds. More close the connection with code 1008. @default 50 */
  readonly maxMessages?: number
  /** Interval of pings, in milliseconds. @default 15000 */
  readonly keepaliveMs?: number
}

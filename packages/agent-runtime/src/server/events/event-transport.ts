/** The connection of an event socket, of any WebSocket library. */
export interface EventTransport {
  /** Sends a text frame. When it gives a promise, the next event waits for it. */
  send(text: string): void | Promise<void>
  /** Ends the connection with a code and a reason of at most 123 bytes. */
  close(code: number, reason: string): void
  /** Bytes that were sent and have not left yet. Without it a slow client is noticed by the promises of `send` only. */
  bufferedBytes?(): number
  /** Sends a ping of the protocol, so that nobody in between takes the connection for idle. */
  ping?(): void
}

/** How much one client may ask for, and how much of what it asked for may wait for it. */
export interface EventSocketLimits {
  /** Bytes on their way to a client above which nothing more is read for it. @default 1 MiB */
  readonly maxBufferedBytes?: number
  /** Milliseconds above that limit after which the client is dropped, with code 1013. @default 10000 */
  readonly slowClientMs?: number
  /** Largest message of a client in bytes; a larger one ends the connection, with code 1009. @default 16384 */
  readonly maxMessageBytes?: number
  /** Most messages of a client within ten seconds; more end the connection, with code 1008. @default 50 */
  readonly maxMessages?: number
  /** Milliseconds between two pings. @default 15000 */
  readonly keepaliveMs?: number
}

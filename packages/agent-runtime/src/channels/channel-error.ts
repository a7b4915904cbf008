import type { ChannelErrorCode } from './channel.ts'

/** What a platform refused or failed with. Holds no token: addresses are left out. */
export class ChannelError extends Error {
  override readonly name = 'ChannelError'
  readonly code: ChannelErrorCode
  /** When the platform says how long to wait, in milliseconds. */
  readonly retryAfterMs: number | undefined

  constructor(
    code: ChannelErrorCode,
    message: string,
    options: { retryAfterMs?: number; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.retryAfterMs = options.retryAfterMs
  }
}

import type { ChannelErrorCode } from '../ports/channel.ts'

const brand = Symbol.for('@homeward/agent-runtime/ChannelError')

/**
 * The only error that a channel throws on purpose: a platform failed or rejected a request.
 *
 * The code decides how the answer is handled. The message contains the action, the problem and the fix, but no token,
 * because addresses are left out.
 */
export class ChannelError extends Error {
  override readonly name = 'ChannelError'
  readonly [brand] = true
  readonly code: ChannelErrorCode
  /** Delay that the platform requested, in milliseconds. */
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

  /** Like `instanceof`, but also true for an error from another installed copy of this package. */
  static is(value: unknown): value is ChannelError {
    return typeof value === 'object' && value !== null && brand in value
  }
}

/**
 * Error of `context.ask` if no answer came. If a tool does not catch it, the model receives the message as the
 * failure of the call.
 *
 * @example
 * ```ts
 * import { Unanswered } from '@homeward/agent-runtime'
 *
 * const orElse = async <T>(answer: Promise<T>, other: T): Promise<T> =>
 *   answer.catch((error: unknown) => {
 *     if (error instanceof Unanswered) return other
 *     throw error
 *   })
 * console.log(await orElse(Promise.resolve('yes'), 'no'))
 * ```
 */
export class Unanswered extends Error {
  override readonly name = 'Unanswered'
  /** `declined`: the person declined. `expired`: nobody answered in time. */
  readonly reason: 'declined' | 'expired'

  constructor(reason: Unanswered['reason'], message: string) {
    super(message)
    this.reason = reason
  }
}

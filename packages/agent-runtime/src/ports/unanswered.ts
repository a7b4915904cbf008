/**
 * The error that `context.ask` throws when no answer came. If a tool does not catch it, the model reads the message as the failure of the
 * call.
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
  /** `declined`: the person did not want to. `expired`: nobody did in time. */
  readonly reason: 'declined' | 'expired'

  constructor(reason: Unanswered['reason'], message: string) {
    super(message)
    this.reason = reason
  }
}

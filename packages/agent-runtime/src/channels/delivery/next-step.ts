import { backoffMs } from '@homeward/kit'
import type { StoredOutboundPart } from '../../store/ports/channel-store.ts'
import { ChannelError } from '../channel-error.ts'

/** What to do about a send that did not succeed. */
type NextStep =
  /** At once, without format. */
  | { readonly kind: 'plain' }
  | { readonly kind: 'later'; readonly afterMs: number }
  | { readonly kind: 'ended'; readonly status: 'failed' | 'uncertain' }

/** Longest wait of our own choosing before it is spread, in milliseconds. */
const maxWaitMs = 60_000
/** Most milliseconds that chance adds to a wait: after an hour, a quarter of an hour more would help nobody. */
const maxSpreadMs = maxWaitMs / 2
/**
 * Longest wait that a platform may ask for, in milliseconds. Asking sooner than it says makes it longer, and an answer to a
 * chat is worth an hour: of what waits longer a person decides.
 */
export const maxGivenMs = 3_600_000
const maxRefusals = 3
const maxTemporary = 6

/** Decides about a failed send. `mayRepeat`: the same part can be sent again although it may have arrived. */
export function nextStep(
  error: ChannelError,
  part: StoredOutboundPart,
  tries: number,
  { mayRepeat, random }: { readonly mayRepeat: boolean; readonly random: () => number },
): NextStep {
  const { code, retryAfterMs } = error
  if (code === 'format' && !part.isPlain && part.plain !== part.text) return { kind: 'plain' }
  if (code === 'rate_limited') {
    // a platform that does not say how long wants to be left alone
    const isEnough = tries >= (retryAfterMs === undefined ? 1 : maxRefusals)
    const leastMs = retryAfterMs ?? maxWaitMs
    if (isEnough || leastMs > maxGivenMs) return { kind: 'ended', status: 'failed' }
    // never sooner than was asked for, and not all in the same moment: they would be refused again
    const afterMs = backoffMs({ failures: 1, baseMs: 0, retryAfterMs: leastMs, maxSpreadMs, random })
    return { kind: 'later', afterMs }
  }
  if (code === 'uncertain' && !mayRepeat) return { kind: 'ended', status: 'uncertain' }
  if (code === 'temporary' || code === 'uncertain') {
    if (tries >= maxTemporary) return { kind: 'ended', status: code === 'uncertain' ? 'uncertain' : 'failed' }
    const givenMs = retryAfterMs === undefined ? undefined : Math.min(retryAfterMs, maxGivenMs)
    const own = { failures: tries + 1, baseMs: 1000, capMs: maxWaitMs, spread: [1, 1.5] } as const
    return { kind: 'later', afterMs: backoffMs({ ...own, retryAfterMs: givenMs, maxSpreadMs, random }) }
  }
  return { kind: 'ended', status: 'failed' }
}

/** Whatever a channel throws, as one of its errors: of what it does not know itself, nobody can tell what happened. */
export function toSendError(error: unknown): ChannelError {
  if (ChannelError.is(error)) return error
  const message = 'Sending an answer was interrupted: the answer may or may not have arrived.'
  return new ChannelError('uncertain', message, { cause: error })
}

import type { StoredOutPart } from '../ports/channel-store.ts'
import { ChannelError } from './channel-error.ts'

/** What to do about a send that did not succeed. */
export type NextStep =
  /** At once, without format. */
  | { readonly kind: 'plain' }
  | { readonly kind: 'later'; readonly afterMs: number }
  | { readonly kind: 'ended'; readonly status: 'failed' | 'uncertain' }

/** Longest wait before it is spread, in milliseconds, whatever a platform says. */
const maxWaitMs = 60_000
const maxRefusals = 3
const maxTemporary = 6

/** Decides about a failed send. `mayRepeat`: the same part can be sent again although it may have arrived. */
export function nextStep(
  error: ChannelError,
  part: StoredOutPart,
  tries: number,
  { mayRepeat, random }: { readonly mayRepeat: boolean; readonly random: () => number },
): NextStep {
  const { code, retryAfterMs } = error
  if (code === 'format' && !part.isPlain && part.plain !== part.text) return { kind: 'plain' }
  if (code === 'rate_limited') {
    // a platform that does not say how long wants to be left alone
    const isEnough = tries >= (retryAfterMs === undefined ? 1 : maxRefusals)
    const afterMs = Math.min(retryAfterMs ?? maxWaitMs, maxWaitMs)
    // never sooner than was asked for, up to the limit, and not all in the same moment: they would be refused again
    return isEnough
      ? { kind: 'ended', status: 'failed' }
      : { kind: 'later', afterMs: afterMs * (1 + random() / 4) }
  }
  if (code === 'uncertain' && !mayRepeat) return { kind: 'ended', status: 'uncertain' }
  if (code === 'temporary' || code === 'uncertain') {
    if (tries >= maxTemporary) return { kind: 'ended', status: code === 'uncertain' ? 'uncertain' : 'failed' }
    // the limit comes before the spread: the other way round whatever reaches it would come back together
    const afterMs = Math.min(maxWaitMs, Math.max(1000 * 2 ** tries, retryAfterMs ?? 0))
    return { kind: 'later', afterMs: afterMs * (1 + random() / 2) }
  }
  return { kind: 'ended', status: 'failed' }
}

/** Whatever a channel throws, as one of its errors: of what it does not know itself, nobody can tell what happened. */
export function toSendError(error: unknown): ChannelError {
  if (ChannelError.is(error)) return error
  const message = 'Sending an answer broke off: it may have arrived, or not.'
  return new ChannelError('uncertain', message, { cause: error })
}

import * as z from 'zod/mini'
import { parseRetryAfter } from '@homeward/kit'
import { redactSecrets, type PlatformReply } from '../call-platform.ts'
import type { ChannelErrorCode } from '../../ports/channel.ts'
import { ChannelError } from '../channel-error.ts'

const Refusal = z.object({ status: z.int(), status_message: z.optional(z.string()) })

/** What Viber's numbers mean, and what a person can do; all others are final. */
const meanings: Readonly<Record<number, { code: ChannelErrorCode; advice?: string }>> = {
  1: {
    code: 'permanent',
    advice:
      'Viber could not reach the address. It must respond over https with a certificate of a public authority.',
  },
  2: {
    code: 'auth',
    advice: 'Check channel_e_auth_token. Viber shows it to the bot\'s administrators as "Your app key".',
  },
  5: { code: 'gone' },
  6: { code: 'gone', advice: 'The user has unsubscribed or never wrote to the bot.' },
  7: { code: 'auth', advice: 'Viber has blocked the bot.' },
  8: { code: 'auth', advice: 'No Viber bot has this token.' },
  9: { code: 'auth', advice: 'Viber has suspended the bot.' },
  10: {
    code: 'permanent',
    advice: 'No webhook is set, and Viber accepts messages only with a webhook. Run set-webhook.',
  },
  11: { code: 'gone', advice: 'The user has no device that can show the message.' },
  12: {
    code: 'rate_limited',
    advice: 'Viber accepts at most 100 messages per hour to a user who does not reply.',
  },
}

/** What is known of a call when its answer is read. */
interface ViberCallFacts {
  readonly what: string
  /** Whether making it twice does no harm: then nothing about it is `uncertain`. */
  readonly isRepeatable: boolean
  readonly secrets: readonly (string | undefined)[]
  readonly nowMs: number
}

/** What an answer that is no success means. `uncertain` when nobody can tell whether it was done. */
export function toViberError(reply: PlatformReply, call: ViberCallFacts): ChannelError {
  const refusal = Refusal.safeParse(reply.json)
  if (!refusal.success || refusal.data.status === 0) return toForeignError(reply, call)
  const { status, status_message } = refusal.data
  const { code, advice } = meanings[status] ?? { code: 'permanent' }
  const said = redactSecrets(status_message ?? 'no reason', call.secrets).slice(0, 200)
  const retryAfterMs = parseRetryAfter(reply.headers.get('retry-after'), call.nowMs)
  return new ChannelError(
    code,
    `${call.what} failed: status ${status}, ${said}.${advice === undefined ? '' : ` ${advice}`}`,
    code === 'rate_limited' && retryAfterMs !== undefined ? { retryAfterMs } : {},
  )
}

/** An answer that is not Viber's own: a page of a proxy, say. */
function toForeignError({ status, headers }: PlatformReply, call: ViberCallFacts): ChannelError {
  const retryAfterMs = parseRetryAfter(headers.get('retry-after'), call.nowMs)
  if (status === 429) {
    const message = `${call.what} failed with HTTP 429: too many requests.`
    return new ChannelError('rate_limited', message, retryAfterMs === undefined ? {} : { retryAfterMs })
  }
  const isRefused = status >= 400 && status < 500 && status !== 408
  const code = isRefused ? 'permanent' : call.isRepeatable ? 'temporary' : 'uncertain'
  const unclear = code === 'uncertain' ? ' The message may or may not have arrived.' : ''
  return new ChannelError(
    code,
    `${call.what} failed: the response (HTTP ${status}) is not a Viber API response. Check channel_e_api_base and the network.${unclear}`,
  )
}

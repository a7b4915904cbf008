import * as z from 'zod/mini'
import { parseRetryAfter } from '@homeward/kit'
import type { PlatformReply } from '../call-platform.ts'
import type { ChannelErrorCode } from '../../ports/channel.ts'
import { ChannelError } from '../channel-error.ts'

const Refusal = z.object({
  code: z.optional(z.int()),
  /** Seconds, with a fraction. */
  retry_after: z.optional(z.number()),
  errors: z.optional(z.unknown()),
})

/** A refusal of Discord. */
export class DiscordError extends ChannelError {
  /** HTTP status. */
  readonly status: number
  /** Discord's own number of the error, when it gave one. */
  readonly discordCode: number | undefined

  constructor(
    code: ChannelErrorCode,
    message: string,
    facts: { status: number; discordCode: number | undefined; retryAfterMs?: number },
  ) {
    super(code, message, facts.retryAfterMs === undefined ? {} : { retryAfterMs: facts.retryAfterMs })
    this.status = facts.status
    this.discordCode = facts.discordCode
  }
}

/** What is known of a call when its answer is read. */
interface DiscordCallFacts {
  readonly what: string
  /** Whether the address holds the token of an interaction, instead of the bot's in a header. */
  readonly byInteraction: boolean
  /** Whether making it twice does no harm. */
  readonly isRepeatable: boolean
  readonly nowMs: number
}

/** What an answer that is no success means. Holds nothing that was sent. */
export function toDiscordError(reply: PlatformReply, call: DiscordCallFacts): DiscordError {
  const { status } = reply
  const parsed = Refusal.safeParse(reply.json)
  const refusal = parsed.success ? parsed.data : undefined
  const meaning = codeOf(status, refusal?.code, call.byInteraction, reasonsOf(refusal?.errors))
  const code = meaning === 'uncertain' && call.isRepeatable ? 'temporary' : meaning
  const retryAfterMs =
    refusal?.retry_after === undefined
      ? parseRetryAfter(reply.headers.get('retry-after'), call.nowMs)
      : Math.max(0, Math.ceil(refusal.retry_after * 1000))
  return new DiscordError(code, describe(call.what, code, status, refusal), {
    status,
    discordCode: refusal?.code,
    ...(code === 'rate_limited' && retryAfterMs !== undefined && { retryAfterMs }),
  })
}

/** Discord's numbers that say more than the HTTP status. */
const byNumber: Readonly<Record<number, ChannelErrorCode>> = {
  // unknown interaction, unknown webhook, invalid webhook token
  10062: 'expired',
  10015: 'expired',
  50027: 'expired',
  // unknown channel, missing access, a person who takes no messages, missing permissions
  10003: 'gone',
  50001: 'gone',
  50007: 'gone',
  50013: 'gone',
  // slow mode
  20016: 'rate_limited',
  40001: 'auth',
}

function codeOf(
  status: number,
  number: number | undefined,
  byInteraction: boolean,
  reasons: readonly string[],
): ChannelErrorCode {
  if (status === 429) return 'rate_limited'
  const known = number === undefined ? undefined : byNumber[number]
  if (known !== undefined) return known
  if (status === 401) return byInteraction ? 'expired' : 'auth'
  if (status === 403 || status === 404) return number === undefined ? 'permanent' : 'gone'
  if (status === 413 || reasons.includes('BASE_TYPE_MAX_LENGTH')) return 'too_long'
  if (status >= 500 || status === 408 || status < 400) return 'uncertain'
  return 'permanent'
}

function describe(
  what: string,
  code: ChannelErrorCode,
  status: number,
  refusal: z.infer<typeof Refusal> | undefined,
): string {
  const number = refusal?.code === undefined ? '' : `, code ${refusal.code}`
  const reasons = reasonsOf(refusal?.errors).slice(0, 5)
  const why = reasons.length > 0 ? ` (${reasons.join(', ')})` : ''
  const said = `${what} failed: HTTP ${status}${number}${why}.`
  if (refusal === undefined && code !== 'rate_limited') {
    return `${said} The response is not a Discord API response. Check channel_c_api_base and the network.`
  }
  return [said, ...(advice[code] ?? [])].join(' ')
}

const advice: Readonly<Partial<Record<ChannelErrorCode, readonly string[]>>> = {
  auth: ['Check channel_c_bot_token. You can create a new token on the page Bot of the application.'],
  gone: ['Add the bot to the server and allow it to see the channel and send messages there.'],
  uncertain: ['The message may or may not have arrived.'],
}

/** Discord's words for what is wrong with a field, such as `BASE_TYPE_MAX_LENGTH`: none of them is ours. */
function reasonsOf(errors: unknown): string[] {
  if (typeof errors !== 'object' || errors === null) return []
  return Object.entries(errors).flatMap(([key, value]) =>
    key === 'code' && typeof value === 'string' && /^[A-Z_0-9]{1,80}$/.test(value)
      ? [value]
      : reasonsOf(value),
  )
}

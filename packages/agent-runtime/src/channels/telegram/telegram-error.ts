import * as z from 'zod/mini'
import { parseRetryAfter } from '@homeward/kit'
import { redactSecrets, type PlatformReply } from '../call-platform.ts'
import type { ChannelErrorCode } from '../../ports/channel.ts'
import { ChannelError } from '../channel-error.ts'

const Refusal = z.object({
  ok: z.literal(false),
  error_code: z.optional(z.int()),
  description: z.optional(z.string()),
  parameters: z.optional(
    z.object({ retry_after: z.optional(z.number()), migrate_to_chat_id: z.optional(z.int()) }),
  ),
})

/** A refusal of Telegram, with what it says a caller may do. */
export class TelegramError extends ChannelError {
  /** HTTP status, or the one in the body. */
  readonly status: number
  /** The group has become a supergroup with this id. */
  readonly migrateToChatId: number | undefined
  /** The topic is gone: the chat itself may not be. */
  readonly isTopicGone: boolean
  /** An edit that changes nothing: it was made before. */
  readonly isUnchanged: boolean

  constructor(
    code: ChannelErrorCode,
    message: string,
    facts: { status: number; description: string; retryAfterMs?: number; migrateToChatId?: number },
  ) {
    super(code, message, facts.retryAfterMs === undefined ? {} : { retryAfterMs: facts.retryAfterMs })
    this.status = facts.status
    this.migrateToChatId = facts.migrateToChatId
    this.isUnchanged = /message is not modified/i.test(facts.description)
    this.isTopicGone =
      facts.status === 400 && /message thread not found|TOPIC_DELETED/i.test(facts.description)
  }
}

/** What is known of a call when its answer is read. */
interface TelegramCallFacts {
  readonly what: string
  /** Whether making it twice does no harm: then nothing about it is `uncertain`. */
  readonly isRepeatable: boolean
  readonly secrets: readonly (string | undefined)[]
  readonly nowMs: number
}

/** What an answer that is no success means. `uncertain` when nobody can tell whether it was done. */
export function toTelegramError(reply: PlatformReply, call: TelegramCallFacts): TelegramError {
  const refusal = Refusal.safeParse(reply.json)
  if (!refusal.success) return toForeignError(reply, call)
  const { error_code, description = '', parameters } = refusal.data
  const status = error_code ?? reply.status
  const code = certain(codeOf(status, description), call)
  const said = redactSecrets(description, call.secrets).slice(0, 300)
  const retryAfterMs =
    parameters?.retry_after === undefined
      ? parseRetryAfter(reply.headers.get('retry-after'), call.nowMs)
      : Math.ceil(parameters.retry_after * 1000)
  const migrateToChatId = parameters?.migrate_to_chat_id
  return new TelegramError(code, `${call.what} failed: ${said || `HTTP ${status}`}.${advice(code)}`, {
    status,
    description,
    ...(code === 'rate_limited' && retryAfterMs !== undefined && { retryAfterMs }),
    ...(migrateToChatId !== undefined && { migrateToChatId }),
  })
}

/** An answer that is not Telegram's own: a page of a proxy, say. */
function toForeignError({ status, headers }: PlatformReply, call: TelegramCallFacts): TelegramError {
  const retryAfterMs = parseRetryAfter(headers.get('retry-after'), call.nowMs)
  const isRefused = status >= 400 && status < 500 && status !== 408
  const code = status === 429 ? 'rate_limited' : isRefused ? 'permanent' : certain('uncertain', call)
  const message = `${call.what} failed: the response (HTTP ${status}) is not a Telegram API response. Check channel_a_api_base and the network.${advice(code)}`
  return new TelegramError(code, message, {
    status,
    description: '',
    ...(code === 'rate_limited' && retryAfterMs !== undefined && { retryAfterMs }),
  })
}

function certain(code: ChannelErrorCode, { isRepeatable }: TelegramCallFacts): ChannelErrorCode {
  return code === 'uncertain' && isRepeatable ? 'temporary' : code
}

function codeOf(status: number, description: string): ChannelErrorCode {
  if (status === 429) return 'rate_limited'
  // a token that is none gives "Not Found": its address is unknown
  if (status === 401 || status === 404) return 'auth'
  if (status === 403) return 'gone'
  if (status >= 500) return 'uncertain'
  if (status !== 400) return 'permanent'
  if (/can't parse entities|can't parse message text/i.test(description)) return 'format'
  if (/too long|too_long/i.test(description)) return 'too_long'
  const isGone =
    /chat not found|user not found|peer_id_invalid|chat_id is empty|group chat was (?:upgraded|de)/i
  return isGone.test(description) ? 'gone' : 'permanent'
}

function advice(code: ChannelErrorCode): string {
  if (code === 'auth') return ' Check channel_a_bot_token. @BotFather shows it and creates new ones.'
  return code === 'uncertain' ? ' The message may or may not have arrived.' : ''
}

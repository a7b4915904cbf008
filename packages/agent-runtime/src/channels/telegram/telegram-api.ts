import type { Settings } from '@homeward/contract/agent-platform'
import * as z from 'zod/mini'
import { callPlatform, type PlatformCallOptions } from '../call-platform.ts'
import type { ChannelContext } from '../../ports/channel.ts'
import { toTelegramError } from './telegram-error.ts'
import { telegramSecret } from './verify-telegram.ts'

/** Methods that change nothing at Telegram, or nothing that a repeat would do twice. */
const repeatable = new Set([
  'getMe',
  'getUpdates',
  'getWebhookInfo',
  'setWebhook',
  'sendChatAction',
  'answerCallbackQuery',
  'editMessageText',
])

/** Telegram's Bot API for one bot. */
export interface TelegramApi {
  /** From the token, which begins with it; 0 when the token is none. */
  readonly botId: number
  /**
   * Calls a method and gives its `result`.
   *
   * @throws {ChannelError} that holds neither the token nor an address.
   */
  call(method: string, parameters: object, options: PlatformCallOptions): Promise<unknown>
}

/** Opens the Bot API with the settings' token. Calls nobody yet. */
export function createTelegramApi(settings: Settings, context: ChannelContext): TelegramApi {
  const token = settings.channel_a_bot_token ?? ''
  const base = (context.apiBase ?? 'https://api.telegram.org').replace(/\/+$/, '')
  return {
    botId: Number(/^\d{1,15}(?=:)/.exec(token)?.[0] ?? 0),
    async call(method, parameters, options) {
      const secrets = [token, /:(.+)/.exec(token)?.[1], await telegramSecret(token)]
      const call = { what: `Telegram ${method}`, isRepeatable: repeatable.has(method), secrets }
      const reply = await callPlatform({
        ...call,
        ...options,
        url: `${base}/bot${encodeToken(token)}/${method}`,
        json: parameters,
        fetch: context.fetch,
      })
      const answer = Answer.safeParse(reply.json)
      if (reply.status === 200 && answer.success && answer.data.ok) return answer.data.result
      throw toTelegramError(reply, { ...call, nowMs: context.now() })
    },
  }
}

const Answer = z.object({ ok: z.boolean(), result: z.optional(z.unknown()) })

/** A token with a slash or a `?` in it would be another address. */
function encodeToken(token: string): string {
  return encodeURIComponent(token).replaceAll('%3A', ':')
}

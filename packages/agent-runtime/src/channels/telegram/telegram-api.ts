import type { Settings } from '@homeward/contract/agent-platform'
import * as z from 'zod/mini'
import { callPlatform } from '../call-platform.ts'
import type { ChannelContext } from '../channel.ts'
import { toTelegramError } from './telegram-error.ts'
import { telegramSecret } from './verify-telegram.ts'

/** Methods that change nothing at Telegram, or nothing that a repeat would do twice. */
const repeatable = new Set(['getMe', 'getUpdates', 'getWebhookInfo', 'setWebhook', 'sendChatAction'])

/** Telegram's Bot API for one bot. */
export interface TelegramApi {
  /** From the token, which begins with it; 0 when the token is none. */
  readonly botId: number
  /**
   * Calls a method and gives its `result`.
   *
   * @throws {ChannelError} that holds neither the token nor an address.
   */
  call(
    method: string,
    parameters: object,
    options: { signal: AbortSignal; timeoutMs?: number },
  ): Promise<unknown>
}

/** Opens the Bot API with the settings' token. Calls nobody yet. */
export function createTelegramApi(settings: Settings, context: ChannelContext): TelegramApi {
  const token = settings.channel_a_bot_token ?? ''
  const base = (context.apiBase ?? 'https://api.telegram.org').replace(/\/+$/, '')
  return {
    botId: Number(/^\d{1,15}(?=:)/.exec(token)?.[0] ?? 0),
    async call(method, parameters, { signal, timeoutMs = 15_000 }) {
      const secrets = [token, /:(.+)/.exec(token)?.[1], await telegramSecret(token)]
      const what = `Telegram ${method}`
      const isRepeatable = repeatable.has(method)
      const reply = await callPlatform({
        what,
        url: `${base}/bot${encodeToken(token)}/${method}`,
        json: parameters,
        timeoutMs,
        isRepeatable,
        signal,
        fetch: context.fetch,
        secrets,
      })
      const answer = Answer.safeParse(reply.json)
      if (reply.status === 200 && answer.success && answer.data.ok) return answer.data.result
      throw toTelegramError(reply, { what, isRepeatable, secrets, nowMs: context.now() })
    },
  }
}

const Answer = z.object({ ok: z.boolean(), result: z.optional(z.unknown()) })

/** A token with a slash or a `?` in it would be another address. */
function encodeToken(token: string): string {
  return encodeURIComponent(token).replaceAll('%3A', ':')
}

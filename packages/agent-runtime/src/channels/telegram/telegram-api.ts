import type { Settings } from '@homeward/contract/agent-platform'
import * as z from 'zod/mini'
import { callPlatform, type PlatformCallOptions } from '../call-platform.ts'
import type { ChannelContext, LoadedFile, LoadFileOptions } from '../../ports/channel.ts'
import { ChannelError } from '../channel-error.ts'
import { downloadFile } from '../files/download-file.ts'
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
  'getFile',
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
  call(method: string, parameters: object | FormData, options: PlatformCallOptions): Promise<unknown>
  /** Downloads a file by the path that `getFile` gave. @throws {ChannelError} like `call` */
  download(path: string, options: LoadFileOptions): Promise<LoadedFile>
}

/** Opens the Bot API with the settings' token. Calls nobody yet. */
export function createTelegramApi(settings: Settings, context: ChannelContext): TelegramApi {
  const token = settings.channel_a_bot_token ?? ''
  const base = (context.apiBase ?? 'https://api.telegram.org').replace(/\/+$/, '')
  const secretsOf = async () => [token, /:(.+)/.exec(token)?.[1], await telegramSecret(token)]
  return {
    botId: Number(/^\d{1,15}(?=:)/.exec(token)?.[0] ?? 0),
    async call(method, parameters, options) {
      const secrets = await secretsOf()
      const call = { what: `Telegram ${method}`, isRepeatable: repeatable.has(method), secrets }
      const reply = await callPlatform({
        ...call,
        ...options,
        url: `${base}/bot${encodeToken(token)}/${method}`,
        ...(parameters instanceof FormData ? { body: parameters } : { json: parameters }),
        fetch: context.fetch,
      })
      const answer = Answer.safeParse(reply.json)
      if (reply.status === 200 && answer.success && answer.data.ok) return answer.data.result
      throw toTelegramError(reply, { ...call, nowMs: context.now() })
    },
    async download(path, options) {
      const what = 'Telegram file'
      // a part of the address, and no way out of it
      const parts = path.split('/')
      if (parts.some((part) => /^\.{0,2}$/.test(part)))
        throw new ChannelError(
          'permanent',
          `${what} failed: its path is not a Telegram file path. Check channel_a_api_base.`,
        )
      const url = `${base}/file/bot${encodeToken(token)}/${parts.map(encodeURIComponent).join('/')}`
      return downloadFile({ what, url, fetch: context.fetch, secrets: await secretsOf() }, options)
    },
  }
}

const Answer = z.object({ ok: z.boolean(), result: z.optional(z.unknown()) })

/** A token with a slash or a `?` in it would be another address. */
function encodeToken(token: string): string {
  return encodeURIComponent(token).replaceAll('%3A', ':')
}

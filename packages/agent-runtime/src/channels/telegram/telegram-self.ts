import * as z from 'zod/mini'
import { ChannelError } from '../channel-error.ts'
import type { TelegramSelf } from './parse-telegram.ts'
import type { TelegramApi } from './telegram-api.ts'

/** What `getMe` says of the bot. */
export const TelegramBot = z.object({
  id: z.int(),
  username: z.string(),
  can_read_all_group_messages: z.optional(z.boolean()),
})
export type TelegramBot = z.infer<typeof TelegramBot>

/** Shorter than any wait for an acknowledgement. */
const timeoutMs = 5000

/** Asks Telegram who the bot is. @throws {ChannelError} */
export async function getTelegramBot(api: TelegramApi, signal: AbortSignal): Promise<TelegramBot> {
  const bot = TelegramBot.safeParse(await api.call('getMe', {}, { signal, timeoutMs }))
  if (bot.success) return bot.data
  throw new ChannelError(
    'temporary',
    'Telegram getMe failed: the response is not a Telegram API response. Check channel_a_api_base.',
  )
}

/** What messages are compared with. The user name is asked for once, when the first message needs it. */
export function createTelegramSelf(api: TelegramApi): TelegramSelf {
  let known: string | undefined
  let asked: Promise<string> | undefined

  async function ask(): Promise<string> {
    try {
      const { username } = await getTelegramBot(api, new AbortController().signal)
      known = username.toLowerCase()
      return known
    } finally {
      asked = undefined
    }
  }

  return {
    id: api.botId,
    async username() {
      if (known !== undefined) return known
      asked ??= ask()
      return asked
    },
    learn(user) {
      if (user?.id === api.botId && user.username !== undefined) known = user.username.toLowerCase()
    },
  }
}

import * as z from 'zod/mini'
import { ChannelError } from '../channel-error.ts'
import { showWebhook } from '../webhooks/webhook-address.ts'
import type { TelegramApi } from './telegram-api.ts'
import { wantedUpdates } from './telegram-update.ts'
import { telegramSecret } from './verify-telegram.ts'

/** What `getWebhookInfo` says. */
export const TelegramWebhook = z.object({
  /** Empty when none is set. */
  url: z.string(),
  pending_update_count: z.optional(z.int()),
  /** In seconds since the epoch. */
  last_error_date: z.optional(z.int()),
  last_error_message: z.optional(z.string()),
  allowed_updates: z.optional(z.array(z.string())),
})
export type TelegramWebhook = z.infer<typeof TelegramWebhook>

/** Ports that Telegram calls; the empty one is 443. */
const ports = new Set(['', '80', '88', '8443'])

/** Asks Telegram for the webhook of the bot. @throws {ChannelError} */
export async function getTelegramWebhook(api: TelegramApi, signal: AbortSignal): Promise<TelegramWebhook> {
  const webhook = TelegramWebhook.safeParse(await api.call('getWebhookInfo', {}, { signal }))
  if (webhook.success) return webhook.data
  throw new ChannelError(
    'temporary',
    'Telegram getWebhookInfo failed: the response is not a Telegram API response. Check channel_a_api_base.',
  )
}

/** Registers an address with Telegram. Messages that wait there are kept. @throws {ChannelError} */
export async function setTelegramWebhook(
  api: TelegramApi,
  token: string,
  webhookUrl: string,
  signal: AbortSignal,
): Promise<void> {
  const url = URL.canParse(webhookUrl) ? new URL(webhookUrl) : undefined
  if (url?.protocol !== 'https:' || !ports.has(url.port)) {
    const rule = 'Telegram calls only https addresses on the ports 443, 80, 88 and 8443. Use such an address.'
    throw new ChannelError('permanent', `Setting the Telegram webhook failed: ${rule}`)
  }
  await api.call(
    'setWebhook',
    { url: url.href, secret_token: await telegramSecret(token), allowed_updates: wantedUpdates },
    { signal, timeoutMs: 30_000 },
  )
}

/** What to do about a webhook that is not of this kind of server. */
export function foreignWebhook(address: string): string {
  return (
    `Telegram calls a webhook of another program (${showWebhook('channel_a', address)}), so messages do not arrive here. ` +
    'Register this server with set-webhook. To use polling instead, remove that webhook with deleteWebhook.'
  )
}

import type { ChannelProbe } from '../../ports/channel.ts'
import { ChannelError } from '../channel-error.ts'
import { redactSecrets } from '../call-platform.ts'
import { isOwnWebhook, showWebhook } from '../webhooks/webhook-address.ts'
import type { TelegramSelf } from './parse-telegram.ts'
import type { TelegramApi } from './telegram-api.ts'
import { getTelegramBot, type TelegramBot } from './telegram-self.ts'
import { foreignWebhook, getTelegramWebhook, type TelegramWebhook } from './telegram-webhook.ts'

/** How long a failed call of the webhook counts as what is wrong now. */
const recentSeconds = 3600

/** Asks who the bot is and which webhook it has. Never throws. */
export async function probeTelegram(
  api: TelegramApi,
  self: TelegramSelf,
  options: { readonly now: () => number; readonly secrets: readonly string[]; readonly signal: AbortSignal },
): Promise<ChannelProbe> {
  try {
    const asked = [getTelegramBot(api, options.signal), getTelegramWebhook(api, options.signal)] as const
    await Promise.allSettled(asked) // a question that is still open would outlive the answer
    const [bot, webhook] = await Promise.all(asked)
    self.learn({ ...bot, is_bot: true })
    const found = judge(webhook, options)
    return {
      ok: found.ok,
      identity: `@${bot.username}`,
      ...(webhook.url !== '' && { webhookUrl: showWebhook('channel_a', webhook.url) }),
      warnings: [...found.warnings, groupNote(bot)],
    }
  } catch (error) {
    const why = ChannelError.is(error) ? error.message : 'Checking Telegram failed: the request was canceled.'
    return { ok: false, warnings: [why] }
  }
}

function judge(
  webhook: TelegramWebhook,
  { now, secrets }: { readonly now: () => number; readonly secrets: readonly string[] },
): { ok: boolean; warnings: string[] } {
  if (webhook.url === '') return { ok: true, warnings: [] }
  if (!isOwnWebhook('channel_a', webhook.url)) return { ok: false, warnings: [foreignWebhook(webhook.url)] }
  const warnings = []
  const { allowed_updates: allowed, pending_update_count: waiting = 0 } = webhook
  const isDeaf = allowed !== undefined && allowed.length > 0 && !allowed.includes('message')
  if (isDeaf) warnings.push('The Telegram webhook does not receive messages. Run set-webhook again.')
  const lacksPresses = !isDeaf && allowed !== undefined && !allowed.includes('callback_query')
  if (lacksPresses)
    warnings.push('The Telegram webhook does not receive button presses. Run set-webhook again.')
  const isRecent = (webhook.last_error_date ?? 0) * 1000 > now() - recentSeconds * 1000
  if (webhook.last_error_message !== undefined) {
    const at = new Date((webhook.last_error_date ?? 0) * 1000).toISOString()
    const said = redactSecrets(webhook.last_error_message, secrets).slice(0, 200)
    warnings.push(`Telegram last failed to call the webhook at ${at}: ${said}.`)
  }
  if (waiting > 0) warnings.push(`${waiting} updates are waiting at Telegram for the webhook.`)
  const isStuck = waiting > 0 && isRecent && webhook.last_error_message !== undefined
  return { ok: !isDeaf && !isStuck, warnings }
}

function groupNote({ can_read_all_group_messages: readsAll }: TelegramBot): string {
  return readsAll === true
    ? 'Group privacy is off: Telegram sends every group message, but the bot answers only messages addressed to it.'
    : 'Group privacy is on: in groups, the bot receives and answers only commands, mentions and replies to it.'
}

import { ChannelError } from '../channel-error.ts'
import type { ChannelProbe } from '../../ports/channel.ts'
import { isOwnWebhook, showWebhook } from '../webhooks/webhook-address.ts'
import { getViberAccount, type ViberAccount, type ViberName } from './viber-account.ts'
import type { ViberApi } from './viber-api.ts'

/** `delivered` and `seen` would be two more calls for each answer. */
const eventTypes = ['message', 'conversation_started', 'subscribed', 'unsubscribed', 'failed']

/** Registers an address with Viber, which calls it before it answers. @throws {ChannelError} */
export async function setViberWebhook(api: ViberApi, webhookUrl: string, signal: AbortSignal): Promise<void> {
  if (!URL.canParse(webhookUrl) || new URL(webhookUrl).protocol !== 'https:') {
    throw new ChannelError(
      'permanent',
      'Setting the Viber webhook failed: Viber calls only https addresses. Use an https address.',
    )
  }
  const settings = { url: new URL(webhookUrl).href, event_types: eventTypes, send_name: true }
  await api.call('set_webhook', settings, { signal, timeoutMs: 30_000 })
}

/** Asks Viber about the bot and its webhook. Never throws. */
export async function probeViber(api: ViberApi, name: ViberName, signal: AbortSignal): Promise<ChannelProbe> {
  try {
    const account = await getViberAccount(api, signal)
    name.learn(account)
    const warnings = judge(account)
    const { webhook = '' } = account
    return {
      ok: warnings.length === 0,
      identity: account.name,
      ...(webhook !== '' && { webhookUrl: showWebhook('channel_e', webhook) }),
      warnings,
    }
  } catch (error) {
    const why = ChannelError.is(error) ? error.message : 'Checking Viber failed: the request was canceled.'
    return { ok: false, warnings: [why] }
  }
}

function judge({ webhook = '', event_types: events }: ViberAccount): string[] {
  if (webhook === '')
    return ['No Viber webhook is set, so messages are neither received nor sent. Run set-webhook.']
  if (!isOwnWebhook('channel_e', webhook)) {
    const shown = showWebhook('channel_e', webhook)
    return [
      `Viber calls a webhook of another program (${shown}), so messages do not arrive here. Run set-webhook to replace it.`,
    ]
  }
  if (events === undefined || events.includes('message')) return []
  return ['The Viber webhook does not receive messages. Run set-webhook again.']
}

import { backgroundTimers, createWebhookSender, type ResolveWebhookHost } from '@homeward/kit/node'
import { type WebhookDispatcher, createWebhookDispatcher } from '@homeward/kit/webhooks'
import type { Logger } from '../ports/logger.ts'
import type { RuntimeSettings } from '../settings/runtime-settings.ts'
import { shownId } from '../store/own-conversation.ts'
import type { RuntimeStore } from '../store/ports/runtime-store.ts'
import { createWebhooks } from './create-webhooks.ts'
import type { Webhooks } from './webhooks.ts'

/** What {@link openWebhooks} works with. */
export interface WebhookWork {
  readonly store: RuntimeStore
  readonly settings: RuntimeSettings
  readonly logger: Logger
  readonly now: () => number
  readonly random: () => number
  readonly createId: () => string
  readonly resolveHost: ResolveWebhookHost | undefined
}

/** The service of webhooks, and what delivers to them. */
export function openWebhooks(work: WebhookWork): {
  readonly webhooks: Webhooks
  readonly courier: WebhookDispatcher
} {
  const { store, settings, logger, now, random, createId, resolveHost } = work
  let hosts: string | undefined
  const readHosts = async () => {
    hosts = (await settings.read()).webhook_hosts
  }
  const checked = createWebhookSender({ hosts: () => hosts, ...(resolveHost && { resolveHost }) })
  const sender: typeof checked = {
    async check(url, signal) {
      await readHosts()
      return await checked.check(url, signal)
    },
    async send(request) {
      await readHosts()
      return await checked.send(request)
    },
  }
  const courier = createWebhookDispatcher({
    store,
    sender,
    now,
    random,
    timers: backgroundTimers,
    reveal: async (secret) => secret,
    // the id as the user chose it
    show: (name, value) => (name === 'conversation_id' && typeof value === 'string' ? shownId(value) : value),
    onError: (error) => logger.error('Delivering to webhooks failed', { error }),
  })
  return { webhooks: createWebhooks({ store, sender, courier, now, createId }), courier }
}

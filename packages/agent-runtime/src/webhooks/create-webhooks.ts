import type { NewWebhook, WebhookUpdate, Webhook, WebhookDelivery } from '@homeward/contract/agent-platform'
import {
  type WebhookDispatcher,
  createWebhookSecret,
  type WebhookSender,
  type StoredDelivery,
  type StoredWebhook,
} from '@homeward/kit/webhooks'
import { RuntimeError } from '../ports/runtime-error.ts'
import type { RuntimeStore } from '../store/ports/runtime-store.ts'
import type { Webhooks } from './webhooks.ts'

const maxWebhooks = 20
const listedDeliveries = 100
/** How long the attempt of a test has, in milliseconds, until another process may take it over. */
const testMs = 60_000
/** A runtime has one operator. */
const owner = ''

/** What {@link createWebhooks} works with. */
interface WebhooksSetup {
  readonly store: RuntimeStore
  readonly sender: WebhookSender
  readonly courier: WebhookDispatcher
  readonly now: () => number
  readonly createId: () => string
}

/** Creates the service of webhooks. */
export function createWebhooks({ store, sender, courier, now, createId }: WebhooksSetup): Webhooks {
  const time = () => new Date(now()).toISOString()

  async function checkUrl(attempt: string, url: string): Promise<void> {
    const refusal = await sender.check(new URL(url))
    if (refusal === undefined) return
    throw new RuntimeError(
      'validation_error',
      `${attempt} failed: "url" cannot be used: ${refusal}. Use another address.`,
    )
  }

  async function find(attempt: string, id: string): Promise<StoredWebhook> {
    const webhook = await store.findWebhook(owner, id)
    if (webhook === undefined) throw notFound(attempt)
    return webhook
  }

  return {
    async create({ url, events, secret = newSecret() }: NewWebhook) {
      const attempt = 'Creating the webhook'
      await checkUrl(attempt, url)
      const createdAt = time()
      const webhook: StoredWebhook = {
        id: createId(),
        owner,
        url,
        events: [...new Set(events)],
        enabled: true,
        disabledReason: null,
        secret,
        createdAt,
        updatedAt: createdAt,
        failingSince: null,
      }
      if (!(await store.insertWebhook(webhook, maxWebhooks)))
        throw new RuntimeError(
          'conflict',
          `${attempt} failed: the limit of ${maxWebhooks} webhooks is reached. Delete a webhook that you no longer need.`,
        )
      courier.wake()
      return { webhook: toWebhook(webhook), secret }
    },
    list: async () => (await store.listWebhooks(owner)).map(toWebhook),
    get: async (id) => toWebhook(await find('Getting the webhook', id)),
    async update(id, { url, events, enabled }: WebhookUpdate) {
      const attempt = 'Changing the webhook'
      if (url !== undefined) await checkUrl(attempt, url)
      const changes = { url, enabled, events: events && [...new Set(events)] }
      const webhook = await store.updateWebhook(owner, id, changes, time())
      if (webhook === undefined) throw notFound(attempt)
      courier.wake()
      return toWebhook(webhook)
    },
    async delete(id) {
      if ((await store.deleteWebhook(owner, id)) === undefined) throw notFound('Deleting the webhook')
    },
    async test(id) {
      const attempt = 'Testing the webhook'
      const webhook = await find(attempt, id)
      const tested = courier.test(webhook.id, async () => {
        const delivery = toTest(webhook, createId(), now())
        await store.insertDelivery(delivery)
        const { at, status, responseCode, error } = await courier.attempt({ delivery, webhook })
        return toDelivery({ ...delivery, lastAttemptAt: at, nextAt: null, status, responseCode, error })
      })
      if (tested !== undefined) return await tested
      const reason = 'several tests of this webhook are running. Wait until they end.'
      throw new RuntimeError('conflict', `${attempt} failed: ${reason}`)
    },
    async deliveries(id) {
      await find('Listing deliveries', id)
      return (await store.listDeliveries(id, listedDeliveries)).map(toDelivery)
    },
  }
}

const newSecret = () => createWebhookSecret((size) => crypto.getRandomValues(new Uint8Array(size)))

const notFound = (attempt: string) =>
  new RuntimeError('not_found', `${attempt} failed: no webhook has this id. List the webhooks to find it.`)

function toTest(webhook: StoredWebhook, id: string, nowMs: number): StoredDelivery {
  return {
    id: `evt_webhook_test_${id}`,
    webhookId: webhook.id,
    type: 'webhook.test',
    subject: `test ${id}`,
    data: { webhook_id: webhook.id },
    at: new Date(nowMs).toISOString(),
    status: 'pending',
    attempts: 1,
    nextAt: new Date(nowMs + testMs).toISOString(),
    lastAttemptAt: null,
    responseCode: null,
    error: null,
  }
}

/** A webhook without its secret. */
function toWebhook(webhook: StoredWebhook): Webhook {
  const { id, url, events, enabled, disabledReason, failingSince, createdAt, updatedAt } = webhook
  return {
    id,
    url,
    events: [...events],
    enabled,
    ...(disabledReason !== null && { disabled_reason: disabledReason }),
    ...(failingSince !== null && { failing_since: failingSince }),
    created_at: createdAt,
    updated_at: updatedAt,
  }
}

/** A delivery without its body. */
function toDelivery(delivery: StoredDelivery): WebhookDelivery {
  const { id, type, status, attempts, at, lastAttemptAt, nextAt, responseCode, error } = delivery
  return {
    id,
    type,
    status,
    attempts,
    created_at: at,
    ...(lastAttemptAt !== null && { last_attempt_at: lastAttemptAt }),
    ...(nextAt !== null && nextAt !== '' && { next_attempt_at: nextAt }),
    ...(responseCode !== null && { response_code: responseCode }),
    ...(error !== null && { error }),
  }
}

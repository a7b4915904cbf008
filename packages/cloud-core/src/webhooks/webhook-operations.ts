import type { BodyOf, ReplyOf } from '@homeward/contract'
import type { DeviceCloudOperations } from '@homeward/contract/device-cloud'
import { HttpError } from '@homeward/contract/handler'
import type { WebhookDispatcher, StoredDelivery, StoredWebhook } from '@homeward/kit/webhooks'
import { toTimestamp } from '../context/time.ts'
import type { UserCall } from '../context/cloud-context.ts'
import type { WebhookContext } from './create-cloud-webhooks.ts'
import { checkUrl, createWebhookCreation, sendsNone, subjectOf } from './create-webhook.ts'
import { toDelivery, toWebhook } from './to-webhook.ts'

type Reply<Id extends keyof DeviceCloudOperations> = ReplyOf<DeviceCloudOperations[Id]>
type NewWebhook = BodyOf<DeviceCloudOperations['createWebhook']>
type Changes = BodyOf<DeviceCloudOperations['updateWebhook']>

const listedDeliveries = 100
/** How long the attempt of a test has, in milliseconds, until another process may take it over. */
const testMs = 60_000

const tooManyTests = () =>
  new HttpError(409, {
    error: 'Conflict',
    message: 'Testing the webhook failed: four tests of it are already running. Wait until one ends.',
  })
const webhookNotFound = () => new HttpError(404, { error: 'Webhook not found' })

/** What users do with webhooks (C33). */
export function createWebhookOperations(context: WebhookContext) {
  const { store, now, createId, audit, webhooks } = context
  const create = createWebhookCreation(context)

  async function find(call: UserCall, id: string): Promise<StoredWebhook> {
    const webhook = await store.findWebhook(call.userId, id)
    if (webhook === undefined) throw webhookNotFound()
    return webhook
  }

  async function update(call: UserCall, id: string, body: Changes): Promise<Reply<'updateWebhook'>> {
    if (body.url !== undefined) await checkUrl(context, body.url)
    const before = await find(call, id)
    const subject = subjectOf({ id, url: body.url ?? before.url })
    const entries = [audit.entryOf(call, 'webhook:updated', subject)]
    const { url, enabled } = body
    const events = body.events && [...new Set(body.events)]
    const changes = { url, enabled, events }
    const webhook = await store.updateWebhook(call.userId, id, changes, toTimestamp(now()), entries)
    if (webhook === undefined) throw webhookNotFound()
    audit.tell(entries)
    webhooks?.courier.wake()
    return { webhook: toWebhook(webhook) }
  }

  async function remove(call: UserCall, id: string): Promise<Reply<'deleteWebhook'>> {
    const { url } = await find(call, id)
    const entries = [audit.entryOf(call, 'webhook:deleted', subjectOf({ id, url }))]
    if ((await store.deleteWebhook(call.userId, id, entries)) === undefined) throw webhookNotFound()
    audit.tell(entries)
    return { success: true }
  }

  async function test(call: UserCall, id: string): Promise<Reply<'testWebhook'>> {
    if (webhooks === undefined) throw sendsNone()
    const { courier } = webhooks
    const webhook = await find(call, id)
    const tested = courier.test(webhook.id, () => attempt(call, webhook, courier))
    if (tested === undefined) throw tooManyTests()
    return await tested
  }

  async function attempt(
    call: UserCall,
    webhook: StoredWebhook,
    courier: WebhookDispatcher,
  ): Promise<Reply<'testWebhook'>> {
    const delivery = toTest(webhook, createId(), now())
    const entries = [audit.entryOf(call, 'webhook:tested', subjectOf(webhook))]
    await store.insertDelivery(delivery, entries)
    audit.tell(entries)
    const { at, status, responseCode, error } = await courier.attempt({ delivery, webhook })
    return {
      delivery: toDelivery({ ...delivery, lastAttemptAt: at, nextAt: null, status, responseCode, error }),
    }
  }

  return {
    /** Creates a webhook and gives its secret, once. A repeat under the same idempotency key gives the same secret. */
    createWebhook: create,

    /** Lists a user's webhooks, newest first. */
    async listWebhooks(call: UserCall): Promise<Reply<'listWebhooks'>> {
      return { webhooks: (await store.listWebhooks(call.userId)).map(toWebhook) }
    },

    /** Returns a webhook. */
    async getWebhook(call: UserCall, id: string): Promise<Reply<'getWebhook'>> {
      return { webhook: toWebhook(await find(call, id)) }
    },

    /** Changes a webhook, or enables it again. */
    updateWebhook: update,

    /** Deletes a webhook with its deliveries. */
    deleteWebhook: remove,

    /** Sends an event `webhook.test` once, and gives the outcome. */
    testWebhook: test,

    /** Lists the newest 100 deliveries of a webhook, newest first. */
    async listWebhookDeliveries(call: UserCall, id: string): Promise<Reply<'listWebhookDeliveries'>> {
      await find(call, id)
      return { deliveries: (await store.listDeliveries(id, listedDeliveries)).map(toDelivery) }
    },
  }
}

function toTest(webhook: StoredWebhook, id: string, nowMs: number): StoredDelivery {
  return {
    id: `evt_webhook_test_${id}`,
    webhookId: webhook.id,
    type: 'webhook.test',
    subject: `test ${id}`,
    data: { webhookId: webhook.id },
    at: toTimestamp(nowMs),
    status: 'pending',
    attempts: 1,
    nextAt: toTimestamp(nowMs + testMs),
    lastAttemptAt: null,
    responseCode: null,
    error: null,
  }
}

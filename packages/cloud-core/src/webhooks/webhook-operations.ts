import type { BodyOf, ReplyOf } from '@homeward/contract'
import type { DeviceCloudOperations } from '@homeward/contract/device-cloud'
import { HttpError, validationError } from '@homeward/contract/handler'
import {
  createWebhookService,
  type CreatedWebhook,
  maxWebhooks,
  toDeliveryView,
  toWebhookView,
  type StoredWebhook,
  type WebhookAudit,
  type WebhookProblem,
} from '@homeward/kit/webhooks'
import { narrow } from '../access/device-access.ts'
import type { UserCall } from '../context/cloud-context.ts'
import { readSecretReply, repeatedReply, toSecretOnce } from '../idempotency/once.ts'
import type { NewAuditEntry } from '../ports/audit-store.ts'
import type { CloudWebhook } from '../ports/webhook-store.ts'
import type { WebhookContext } from './create-cloud-webhooks.ts'
import { sealSecret } from './secrets.ts'

type Reply<Id extends keyof DeviceCloudOperations> = ReplyOf<DeviceCloudOperations[Id]>
type NewWebhook = BodyOf<DeviceCloudOperations['createWebhook']>
type Changes = BodyOf<DeviceCloudOperations['updateWebhook']>
type Action = 'webhook:created' | 'webhook:updated' | 'webhook:deleted' | 'webhook:tested'

/** What users do with webhooks (C33). */
export function createWebhookOperations(context: WebhookContext) {
  const { store, now, createId, audit, randomBytes, keySecret, webhooks } = context
  const service = createWebhookService<readonly NewAuditEntry[]>({
    store,
    sender: webhooks?.sender,
    courier: webhooks?.courier,
    now,
    createId,
    randomBytes,
    sealSecret: (secret) => sealSecret(secret, keySecret),
    testData: (webhookId) => ({ webhookId }),
    toError,
  })

  const auditOf = (call: UserCall, action: Action): WebhookAudit<readonly NewAuditEntry[]> => ({
    entriesOf: (webhook) => [audit.entryOf(call, action, subjectOf(webhook))],
    tell: audit.tell,
  })

  async function insert(
    call: UserCall,
    body: NewWebhook,
    { webhook: created, secret }: CreatedWebhook,
  ): Promise<Reply<'createWebhook'> | 'too_many'> {
    const { userId, actor, idempotencyKey } = call
    const { entriesOf, tell } = auditOf(call, 'webhook:created')
    const webhook: CloudWebhook = call.access ? { ...created, filter: narrow({}, call.access) } : created
    const reply = { webhook: toView(webhook), secret }
    const scope = [userId, actor ?? null, 'createWebhook']
    const nowMs = Date.parse(webhook.createdAt)
    const once = await toSecretOnce(idempotencyKey, { scope, request: body, reply, nowMs })
    const entries = entriesOf(webhook)
    const outcome = await store.insertWebhook(webhook, maxWebhooks, once, entries)
    if (outcome.kind === 'too_many') return 'too_many'
    const repeated = repeatedReply(outcome, once)
    if (repeated !== undefined) return await readSecretReply<Reply<'createWebhook'>>(repeated, call)
    tell(entries)
    return reply
  }

  return {
    /** Creates a webhook and gives its secret, once. A repeat under the same idempotency key gives the same secret. */
    createWebhook: (call: UserCall, body: NewWebhook): Promise<Reply<'createWebhook'>> =>
      service.create(call.userId, body, (created) => insert(call, body, created)),

    /** Lists a user's webhooks, newest first. */
    async listWebhooks(call: UserCall): Promise<Reply<'listWebhooks'>> {
      return { webhooks: (await service.list(call.userId)).map(toView) }
    },

    /** Returns a webhook. */
    async getWebhook(call: UserCall, id: string): Promise<Reply<'getWebhook'>> {
      return { webhook: toView(await service.get(call.userId, id)) }
    },

    /** Changes a webhook, or enables it again. */
    async updateWebhook(call: UserCall, id: string, body: Changes): Promise<Reply<'updateWebhook'>> {
      const webhook = await service.update(call.userId, id, body, auditOf(call, 'webhook:updated'))
      return { webhook: toView(webhook) }
    },

    /** Deletes a webhook with its deliveries. */
    async deleteWebhook(call: UserCall, id: string): Promise<Reply<'deleteWebhook'>> {
      await service.delete(call.userId, id, auditOf(call, 'webhook:deleted'))
      return { success: true }
    },

    /** Sends an event `webhook.test` once, and gives the outcome. */
    async testWebhook(call: UserCall, id: string): Promise<Reply<'testWebhook'>> {
      const delivery = await service.test(call.userId, id, auditOf(call, 'webhook:tested'))
      return { delivery: toDeliveryView(delivery) }
    },

    /** Lists the newest 100 deliveries of a webhook, newest first. */
    async listWebhookDeliveries(call: UserCall, id: string): Promise<Reply<'listWebhookDeliveries'>> {
      return { deliveries: (await service.deliveries(call.userId, id)).map(toDeliveryView) }
    },
  }
}

/** The service passes on what the store gives. */
function toView(webhook: CloudWebhook) {
  return { ...toWebhookView(webhook), ...(webhook.filter && { filter: webhook.filter }) }
}

/** The audit names the host: the rest of an address may be a secret. */
function subjectOf({ id, url }: Pick<StoredWebhook, 'id' | 'url'>) {
  return { subjectId: id, name: new URL(url).host }
}

const conflict = (message: string) => new HttpError(409, { error: 'Conflict', message })

function toError({ kind, reason }: WebhookProblem): HttpError {
  switch (kind) {
    case 'not_found':
      return new HttpError(404, { error: 'Webhook not found' })
    case 'refused':
      return validationError(`url: ${reason}`)
    case 'too_many':
      return conflict(
        `Creating the webhook failed: a user can have at most ${maxWebhooks} webhooks. Delete one that you no longer use.`,
      )
    case 'busy':
      return conflict(
        'Testing the webhook failed: four tests of it are already running. Wait until one ends.',
      )
    case 'not_sent':
    default:
      return conflict(
        'Creating the webhook failed: this server does not send webhooks. Pass the option "webhooks" when you create the cloud.',
      )
  }
}

import * as z from 'zod/mini'
import type { Operation } from '../operation.ts'
import { Done, PlatformId } from './values.ts'
import { NewWebhook, Webhook, WebhookDelivery, WebhookUpdate } from './webhook.ts'

const byId = { auth: 'local', scope: 'admin', source: 'A30', params: z.object({ id: PlatformId }) } as const
const changed = z.object({ ok: z.literal(true), webhook: Webhook })

/** How the operator has other programs notified. */
export const webhookOperations = {
  createWebhook: {
    method: 'POST',
    path: '/api/webhooks',
    auth: 'local',
    scope: 'admin',
    subject: 'all',
    audit: { action: 'webhook.created', details: 'names' },
    summary: 'Creates a webhook, and returns its secret once. The webhook gets events from then on.',
    source: 'A30',
    body: NewWebhook,
    status: 201,
    reply: z.object({
      webhook: Webhook,
      /** Verifies the signatures of its requests, by Standard Webhooks. */
      secret: z.string(),
    }),
    errors: [409],
  },
  listWebhooks: {
    method: 'GET',
    path: '/api/webhooks',
    auth: 'local',
    scope: 'admin',
    subject: 'all',
    summary: 'Lists the webhooks, newest first. There are at most 20.',
    source: 'A30',
    reply: z.object({ webhooks: z.array(Webhook) }),
  },
  getWebhook: {
    ...byId,
    method: 'GET',
    path: '/api/webhooks/{id}',
    subject: 'all',
    summary: 'Returns a webhook.',
    reply: z.object({ webhook: Webhook }),
    errors: [404],
  },
  updateWebhook: {
    ...byId,
    method: 'PUT',
    path: '/api/webhooks/{id}',
    subject: 'all',
    audit: { action: 'webhook.updated', details: 'names' },
    summary: 'Changes a webhook, or enables a disabled webhook.',
    body: WebhookUpdate,
    reply: changed,
    errors: [404],
  },
  deleteWebhook: {
    ...byId,
    method: 'DELETE',
    path: '/api/webhooks/{id}',
    subject: 'all',
    audit: { action: 'webhook.deleted' },
    summary: 'Deletes a webhook with its deliveries.',
    reply: Done,
    errors: [404],
  },
  testWebhook: {
    ...byId,
    method: 'POST',
    path: '/api/webhooks/{id}/test',
    subject: 'all',
    audit: { action: 'webhook.tested', isOutside: true },
    summary:
      'Sends an event `webhook.test` once, and returns the outcome. Takes at most 15 seconds. At most four tests run at a time.',
    reply: z.object({ ok: z.literal(true), delivery: WebhookDelivery }),
    errors: [404, 409],
  },
  listWebhookDeliveries: {
    ...byId,
    method: 'GET',
    path: '/api/webhooks/{id}/deliveries',
    subject: 'all',
    summary: 'Lists the newest 100 deliveries of a webhook, newest first.',
    reply: z.object({ deliveries: z.array(WebhookDelivery) }),
    errors: [404],
  },
} as const satisfies Record<string, Operation>

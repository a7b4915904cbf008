import * as z from 'zod/mini'
import type { Operation } from '../operation.ts'
import { idempotencyKey } from './operation-parts.ts'
import { Id } from './text.ts'
import { NewWebhook, Webhook, WebhookDelivery, WebhookUpdate } from './webhook.ts'

const byId = { auth: 'session', needs: 'manage', source: 'C33', params: z.object({ id: Id }) } as const

/** How users have other programs notified. */
export const webhookOperations = {
  createWebhook: {
    method: 'POST',
    path: '/api/webhooks',
    auth: 'session',
    needs: 'manage',
    audit: { action: 'webhook:created' },
    summary: 'Creates a webhook, and returns its secret once. The webhook gets events from then on.',
    source: 'C20, C33',
    body: NewWebhook,
    headers: [idempotencyKey],
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
    auth: 'session',
    needs: 'manage',
    summary: "Lists the user's webhooks, newest first. There are at most 20.",
    source: 'C33',
    reply: z.object({ webhooks: z.array(Webhook) }),
  },
  getWebhook: {
    ...byId,
    method: 'GET',
    path: '/api/webhooks/{id}',
    summary: 'Returns a webhook.',
    reply: z.object({ webhook: Webhook }),
    errors: [404],
  },
  updateWebhook: {
    ...byId,
    method: 'PUT',
    path: '/api/webhooks/{id}',
    audit: { action: 'webhook:updated' },
    summary: 'Changes a webhook, or enables a disabled webhook.',
    body: WebhookUpdate,
    reply: z.object({ webhook: Webhook }),
    errors: [404],
  },
  deleteWebhook: {
    ...byId,
    method: 'DELETE',
    path: '/api/webhooks/{id}',
    audit: { action: 'webhook:deleted' },
    summary: 'Deletes a webhook with its deliveries.',
    reply: z.object({ success: z.literal(true) }),
    errors: [404],
  },
  testWebhook: {
    ...byId,
    method: 'POST',
    path: '/api/webhooks/{id}/test',
    audit: { action: 'webhook:tested' },
    summary:
      'Sends an event `webhook.test` once, and returns the outcome. Takes at most 15 seconds. At most four tests run at a time.',
    reply: z.object({ delivery: WebhookDelivery }),
    errors: [404, 409],
  },
  listWebhookDeliveries: {
    ...byId,
    method: 'GET',
    path: '/api/webhooks/{id}/deliveries',
    summary: 'Lists the newest 100 deliveries of a webhook, newest first.',
    reply: z.object({ deliveries: z.array(WebhookDelivery) }),
    errors: [404],
  },
} as const satisfies Record<string, Operation>

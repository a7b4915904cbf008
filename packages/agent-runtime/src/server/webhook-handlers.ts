import type { PlatformContext, PlatformHandlers } from './platform-context.ts'

type WebhookHandlers = Pick<
  PlatformHandlers,
  | 'createWebhook'
  | 'listWebhooks'
  | 'getWebhook'
  | 'updateWebhook'
  | 'deleteWebhook'
  | 'testWebhook'
  | 'listWebhookDeliveries'
>

/** Webhooks (A30). */
export function createWebhookHandlers({ services: { webhooks } }: PlatformContext): WebhookHandlers {
  return {
    async createWebhook({ body, setHeader }) {
      setHeader('cache-control', 'no-store')
      return await webhooks.create(body)
    },
    listWebhooks: async () => ({ webhooks: [...(await webhooks.list())] }),
    getWebhook: async ({ params }) => ({ webhook: await webhooks.get(params.id) }),
    updateWebhook: async ({ params, body }) => ({
      ok: true,
      webhook: await webhooks.update(params.id, body),
    }),
    async deleteWebhook({ params }) {
      await webhooks.delete(params.id)
      return { ok: true }
    },
    testWebhook: async ({ params }) => ({ ok: true, delivery: await webhooks.test(params.id) }),
    listWebhookDeliveries: async ({ params }) => ({
      deliveries: [...(await webhooks.deliveries(params.id))],
    }),
  }
}

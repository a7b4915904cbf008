import type { Webhook, WebhookDelivery, WebhookEvent } from '@homeward/contract/agent-platform'
import { usePlatformMutation, usePlatformQuery } from '../api/platform.ts'
import type { DeliveryView, WebhookApi, WebhookView } from './webhook-api.ts'
import { WebhooksView } from './webhooks-view.tsx'

const texts: Readonly<Record<WebhookEvent, string>> = {
  'run.completed': 'A run completed',
  'run.failed': 'A run failed',
  'approval.requested': 'A run waits for somebody to approve a tool call',
  'wait.opened': 'A run waits: for an approval, an answer, an event or something else',
  'wait.settled': 'A wait of a run ended, with or without a result',
  'task.completed': 'A task completed',
  'task.failed': 'A task failed',
  'channel.message_failed': 'A message to a messenger could not be delivered',
}
const types = Object.keys(texts) as readonly WebhookEvent[] // the keys of the table above
const events = types.map((type) => ({ type, text: texts[type] }))
const changed = ['listWebhooks', 'listWebhookDeliveries'] as const

const toView = (webhook: Webhook): WebhookView => ({
  ...webhook,
  disabledReason: webhook.disabled_reason,
  failingSince: webhook.failing_since,
})

const toDelivery = (delivery: WebhookDelivery): DeliveryView => ({
  ...delivery,
  createdAt: delivery.created_at,
  nextAttemptAt: delivery.next_attempt_at,
  responseCode: delivery.response_code,
})

function useDeliveries(id: string) {
  const query = usePlatformQuery('listWebhookDeliveries', { params: { id } }, { refetchInterval: 5000 })
  return { ...query, data: query.data?.deliveries.map(toDelivery) }
}

/** Webhooks for events of agents. */
export function AgentWebhooks() {
  const query = usePlatformQuery('listWebhooks')
  const create = usePlatformMutation('createWebhook', { invalidates: changed })
  const update = usePlatformMutation('updateWebhook', { invalidates: changed })
  const remove = usePlatformMutation('deleteWebhook', { invalidates: changed })
  const test = usePlatformMutation('testWebhook', { invalidates: changed })
  const api: WebhookApi = {
    events,
    useDeliveries,
    create: ({ url, events: wanted }) =>
      create.mutateAsync({ body: { url, events: types.filter((type) => wanted.includes(type)) } }),
    update: (id, { enabled }) => update.mutateAsync({ params: { id }, body: { enabled } }),
    remove: (id) => remove.mutateAsync({ params: { id } }),
    test: async (id) => toDelivery((await test.mutateAsync({ params: { id } })).delivery),
  }
  return (
    <WebhooksView
      title="Webhooks for agents"
      api={api}
      webhooks={{ ...query, data: query.data?.webhooks.map(toView) }}
    />
  )
}

import type { WebhookEvent } from '@homeward/contract/device-cloud'
import { useCloudMutation, useCloudQuery } from '../api/cloud.ts'
import { useIdempotencyKey } from '../api/use-idempotency-key.ts'
import type { WebhookApi } from './webhook-api.ts'
import { WebhooksView } from './webhooks-view.tsx'

const texts: Readonly<Record<WebhookEvent, string>> = {
  'device.registered': 'A device was registered',
  'device.online': 'A device came online',
  'device.offline': 'A device fell silent',
  'device.deleted': 'A device was deleted',
  'search.settled': 'A device reported a search, or the search was canceled',
  'group.settled': 'All searches of a group ended',
  'upload.settled': 'A requested file arrived, or the request ended without it',
  'fleet.offline_share': 'Many of your devices are offline at once',
}
const types = Object.keys(texts) as readonly WebhookEvent[] // the keys of the table above
const events = types.map((type) => ({ type, text: texts[type] }))
const changed = ['listWebhooks', 'listWebhookDeliveries', 'listAudit'] as const

function useDeliveries(id: string) {
  const query = useCloudQuery('listWebhookDeliveries', { params: { id } }, { refetchInterval: 5000 })
  return { ...query, data: query.data?.deliveries }
}

/** Webhooks for events of devices. */
export function DeviceWebhooks() {
  const query = useCloudQuery('listWebhooks')
  const idempotency = useIdempotencyKey()
  const create = useCloudMutation('createWebhook', { invalidates: changed })
  const update = useCloudMutation('updateWebhook', { invalidates: changed })
  const remove = useCloudMutation('deleteWebhook', { invalidates: changed })
  const test = useCloudMutation('testWebhook', { invalidates: changed })
  const api: WebhookApi = {
    events,
    useDeliveries,
    create({ url, events: wanted }) {
      const body = { url, events: types.filter((type) => wanted.includes(type)) }
      return create.mutateAsync({ body, headers: idempotency.headersFor(body) }).finally(idempotency.done)
    },
    update: (id, { enabled }) => update.mutateAsync({ params: { id }, body: { enabled } }),
    remove: (id) => remove.mutateAsync({ params: { id } }),
    test: async (id) => (await test.mutateAsync({ params: { id } })).delivery,
  }
  return (
    <WebhooksView
      title="Webhooks for devices"
      api={api}
      webhooks={{ ...query, data: query.data?.webhooks }}
    />
  )
}

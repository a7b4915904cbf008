import type { NewWebhookEvent, StoredDelivery } from '@homeward/kit/webhooks'
import type { Tables } from './tables.ts'

/** {@link DeliveryStore.addWebhookEvents}, in memory; the part of other verbs that stores what they did. */
export function addWebhookEvents(tables: Tables, events: readonly NewWebhookEvent[]): void {
  if (tables.webhooks.size === 0) return
  for (const event of events) {
    for (const webhook of tables.webhooks.values()) {
      if (webhook.owner !== event.owner || !webhook.enabled || !webhook.events.includes(event.type)) continue
      const deliveries = tables.deliveries.get(webhook.id) ?? []
      tables.deliveries.set(webhook.id, deliveries)
      if (!deliveries.some(({ id }) => id === event.id)) deliveries.push(toDelivery(event, webhook.id))
    }
  }
}

/** What one row did, as the triggers of the other stores tell it. */
function addRowEvent(
  tables: Tables,
  event: Omit<NewWebhookEvent, 'id' | 'at'> & { readonly key: string; readonly at?: string | null },
): void {
  if (tables.webhooks.size === 0) return
  const { key, at, ...rest } = event
  const id = `evt_${event.type.replaceAll('.', '_')}_${key}`
  addWebhookEvents(tables, [{ ...rest, id, at: at ?? new Date().toISOString() }])
}

/** A search ended. */
export function addSearchSettled(
  tables: Tables,
  row: {
    readonly id: string
    readonly deviceId: string
    readonly groupId: string | null
    readonly owner: string
    readonly status: string
    readonly completedAt: string | null
  },
): void {
  const { id: searchId, deviceId, groupId, owner, status, completedAt: at } = row
  const data = { searchId, deviceId, groupId, status }
  addRowEvent(tables, { type: 'search.settled', key: searchId, subject: deviceId, owner, data, at })
}

/** The last search of a group ended. */
export function addGroupSettled(
  tables: Tables,
  { id: groupId, owner }: { readonly id: string; readonly owner: string },
  at: string,
): void {
  const data = { groupId }
  addRowEvent(tables, { type: 'group.settled', key: groupId, subject: groupId, owner, data, at })
}

function toDelivery(event: NewWebhookEvent, webhookId: string): StoredDelivery {
  const { owner: _owner, ...rest } = event
  const fresh = { attempts: 0, nextAt: '', lastAttemptAt: null, responseCode: null, error: null }
  return { ...rest, webhookId, status: 'pending', ...fresh }
}

/** A device was registered or deleted. */
export function addDeviceEvent(
  tables: Tables,
  type: 'device.registered' | 'device.deleted',
  { id, owner }: { readonly id: string; readonly owner: string },
  at?: string,
): void {
  addRowEvent(tables, { type, key: id, subject: id, owner, data: { deviceId: id }, ...(at && { at }) })
}

/** An upload request ended. */
export function addUploadSettled(
  tables: Tables,
  row: {
    readonly id: string
    readonly deviceId: string
    readonly owner: string
    readonly status: string
    readonly completedAt: string | null
  },
): void {
  const { id: requestId, deviceId, owner, status, completedAt: at } = row
  const data = { requestId, deviceId, status }
  addRowEvent(tables, { type: 'upload.settled', key: requestId, subject: deviceId, owner, data, at })
}

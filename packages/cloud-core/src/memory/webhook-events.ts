import type { NewWebhookEvent, StoredDelivery } from '@homeward/kit/webhooks'
import { canceledSearchError } from '../searches/expiry.ts'
import type { GroupRow } from '../sql/group-row.ts'
import type { SearchRow } from '../sql/search-row.ts'
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

/** A search or an upload request that is over. */
type EndedRow = Pick<SearchRow, 'id' | 'deviceId' | 'owner' | 'error' | 'expiresAt' | 'completedAt'> & {
  readonly status: string
}

/** A search ended. */
export function addSearchSettled(tables: Tables, row: EndedRow & { readonly groupId: string | null }): void {
  const { id: searchId, deviceId, groupId, owner, status, completedAt: at } = row
  const data = { searchId, deviceId, groupId, status, outcome: outcomeOf(row) }
  addRowEvent(tables, { type: 'search.settled', key: searchId, subject: deviceId, owner, data, at })
}

/** Work that was deleted with its device before it ended. */
export function addWorkRemoved(
  tables: Tables,
  kind: 'search' | 'upload',
  row: EndedRow & { readonly groupId: string | null },
): void {
  if (row.status !== 'pending') return
  const removed = { status: 'failed', outcome: 'removed' }
  const { id: key, deviceId, groupId, owner } = row
  const data =
    kind === 'search'
      ? { searchId: key, deviceId, groupId, ...removed }
      : { requestId: key, deviceId, ...removed }
  addRowEvent(tables, { type: `${kind}.settled`, key, subject: deviceId, owner, data })
}

/** A group was removed before its last search ended. */
export function addGroupCanceled(tables: Tables, { id: key, owner, settledAt }: GroupRow): void {
  if (settledAt !== null) return
  const data = { groupId: key, outcome: 'canceled' }
  addRowEvent(tables, { type: 'group.settled', key, subject: key, owner, data })
}

/** How a row ended, as the triggers of the other stores tell it. */
function outcomeOf(row: EndedRow): string {
  if (row.completedAt === row.expiresAt) return 'expired'
  return row.status === 'failed' && row.error === canceledSearchError ? 'canceled' : row.status
}

/** The last search of a group ended. */
export function addGroupSettled(
  tables: Tables,
  { id: groupId, owner, expiresAt }: Pick<GroupRow, 'id' | 'owner' | 'expiresAt'>,
  at: string,
): void {
  const data = { groupId, outcome: at < expiresAt ? 'completed' : 'expired' }
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
export function addUploadSettled(tables: Tables, row: EndedRow): void {
  const { id: requestId, deviceId, owner, status, completedAt: at } = row
  const data = { requestId, deviceId, status, outcome: outcomeOf(row) }
  addRowEvent(tables, { type: 'upload.settled', key: requestId, subject: deviceId, owner, data, at })
}

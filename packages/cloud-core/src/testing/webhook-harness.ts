import type { DeliveryAttempt, DueDelivery } from '@homeward/kit/webhooks'
import type { CloudStore } from '../ports/cloud-store.ts'
import type { SearchOutcome } from '../ports/search-store.ts'
import type { CloudWebhook } from '../ports/webhook-store.ts'
import { at, deviceOf, searchOf, withDevices } from './store-harness.ts'

export const completed: SearchOutcome = { status: 'completed', results: { files: [] }, error: null }

/** A webhook of `ann`, created at second 0, that wants settled searches and registered devices. */
export function webhookOf(id: string, changes: Partial<CloudWebhook> = {}): CloudWebhook {
  return {
    id,
    owner: 'ann',
    url: `https://${id}.example/hook?key=%"1`,
    events: ['search.settled', 'device.registered'],
    enabled: true,
    disabledReason: null,
    secret: `sealed-${id}`,
    createdAt: at(0),
    updatedAt: at(0),
    failingSince: null,
    ...changes,
  }
}

export const add = async (store: CloudStore, ...webhooks: readonly CloudWebhook[]) => {
  for (const webhook of webhooks) await store.insertWebhook(webhook, 9, undefined)
}
export const settle = (store: CloudStore, id: string, second = 5) =>
  store.settleSearch({ id, deviceId: 'd1', outcome: completed, now: at(second) })
export const claim = (store: CloudStore, second: number, changes: object = {}) =>
  store.claimWebhookDeliveries({
    now: at(second),
    until: at(second + 60),
    perWebhook: 9,
    limit: 9,
    busy: [],
    ...changes,
  })
export const attemptOf = (due: DueDelivery, changes: Partial<DeliveryAttempt> = {}): DeliveryAttempt => ({
  id: due.delivery.id,
  webhookId: due.webhook.id,
  attempt: due.delivery.attempts,
  at: at(10),
  status: 'delivered',
  nextAt: null,
  responseCode: 204,
  error: null,
  disable: null,
  failingBefore: at(-1000),
  ...changes,
})
export const typesOf = async (store: CloudStore, id = 'w1') =>
  (await store.listDeliveries(id, 99)).map(({ type }) => type).toReversed()
export const keysOf = (due: readonly DueDelivery[]) =>
  due.map(({ delivery }) => String(delivery.data['searchId']))
export const auditIds = async (store: CloudStore) =>
  (await store.listAudit('ann', {}, { limit: 9 }, at(1))).rows.map(({ id }) => id)

/** Searches `s1` to `s3` of `d1`, one of `d2`, and the webhook `w1`. */
export async function withSearches(store: CloudStore): Promise<void> {
  await withDevices(store, [deviceOf('d1'), deviceOf('d2')])
  await add(store, webhookOf('w1'))
  const searches = ['s1', 's2', 's3'].map((id) => searchOf(id))
  await store.insertSearches('ann', [...searches, searchOf('o1', { deviceId: 'd2' })], undefined)
}

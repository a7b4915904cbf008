import type {
  DeliveryAttempt,
  DeliveryClaim,
  DeliveryLimits,
  StoredDelivery,
  WebhookChanges,
} from '@homeward/kit/webhooks'
import type { NewAuditEntry } from '../ports/audit-store.ts'
import type { CreateOutcome, IdempotencyRecord } from '../ports/idempotency-record.ts'
import type { CloudWebhook, DueCloudDelivery } from '../ports/webhook-store.ts'
import { appendAudit } from './audit-verbs.ts'
import { addOnce, findRepeat } from './once-rows.ts'
import { comparePositions } from './sorted-rows.ts'
import type { Tables } from './tables.ts'

export { addWebhookEvents } from './webhook-events.ts'

const disabledError = 'The webhook was disabled'

/** {@link WebhookStore.insertWebhook}, in memory. */
export function insertWebhook(
  tables: Tables,
  webhook: CloudWebhook,
  maxWebhooks: number,
  once: IdempotencyRecord | undefined,
  audit?: readonly NewAuditEntry[],
): CreateOutcome | { readonly kind: 'too_many' } {
  const repeat = findRepeat(tables.once, once)
  if (repeat !== undefined) return repeat
  if (listWebhooks(tables, webhook.owner).length >= maxWebhooks) return { kind: 'too_many' }
  appendAudit(tables, audit)
  addOnce(tables.once, once)
  tables.webhooks.set(webhook.id, { ...webhook })
  return { kind: 'created' }
}

/** {@link WebhookStore.findWebhook}, in memory. */
export function findWebhook(tables: Tables, owner: string, id: string): CloudWebhook | undefined {
  const webhook = tables.webhooks.get(id)
  return webhook?.owner === owner ? webhook : undefined
}

/** {@link WebhookStore.listWebhooks}, in memory. */
export function listWebhooks(tables: Tables, owner: string): readonly CloudWebhook[] {
  const rows = [...tables.webhooks.values()].filter((webhook) => webhook.owner === owner)
  return rows.toSorted((a, b) => comparePositions(b, a))
}

/** {@link WebhookStore.updateWebhook}, in memory. */
export function updateWebhook(
  tables: Tables,
  owner: string,
  id: string,
  changes: WebhookChanges,
  now: string,
  audit?: readonly NewAuditEntry[],
): CloudWebhook | undefined {
  const before = findWebhook(tables, owner, id)
  if (before === undefined) return undefined
  appendAudit(tables, audit)
  const { url = before.url, events = before.events, enabled = before.enabled } = changes
  const after: CloudWebhook = {
    ...before,
    url,
    events,
    enabled,
    disabledReason: enabled ? null : before.disabledReason,
    failingSince: changes.enabled === true ? null : before.failingSince,
    updatedAt: now,
  }
  tables.webhooks.set(id, after)
  if (!enabled) failWaiting(tables, id)
  return after
}

/** {@link WebhookStore.deleteWebhook}, in memory. */
export function deleteWebhook(
  tables: Tables,
  owner: string,
  id: string,
  audit?: readonly NewAuditEntry[],
): CloudWebhook | undefined {
  const webhook = findWebhook(tables, owner, id)
  if (webhook === undefined) return undefined
  appendAudit(tables, audit)
  tables.webhooks.delete(id)
  tables.deliveries.delete(id)
  return webhook
}

/** {@link WebhookStore.listDeliveries}, in memory. */
export function listDeliveries(tables: Tables, webhookId: string, limit: number): readonly StoredDelivery[] {
  return (tables.deliveries.get(webhookId) ?? []).toReversed().slice(0, limit)
}

/** {@link WebhookStore.insertDelivery}, in memory. */
export function insertDelivery(
  tables: Tables,
  delivery: StoredDelivery,
  audit?: readonly NewAuditEntry[],
): void {
  appendAudit(tables, audit)
  tables.deliveries.set(delivery.webhookId, [...(tables.deliveries.get(delivery.webhookId) ?? []), delivery])
}

/** {@link DeliveryStore.listWebhookTypes}, in memory. */
export function listWebhookTypes(tables: Tables): readonly string[] {
  const enabled = [...tables.webhooks.values()].filter((webhook) => webhook.enabled)
  return [...new Set(enabled.flatMap(({ events }) => events))]
}

/** {@link DeliveryStore.claimWebhookDeliveries}, in memory. */
export function claimWebhookDeliveries(
  tables: Tables,
  { now, until, perWebhook, limit, busy }: DeliveryClaim,
): readonly DueCloudDelivery[] {
  const claimed: DueCloudDelivery[] = []
  for (const webhook of tables.webhooks.values()) {
    if (!webhook.enabled || busy.includes(webhook.id)) continue
    for (const delivery of findDue(tables, webhook.id, now).slice(0, perWebhook)) {
      if (claimed.length >= limit) return claimed
      const begun = { ...delivery, attempts: delivery.attempts + 1, nextAt: until }
      replace(tables, begun)
      claimed.push({ delivery: begun, webhook })
    }
  }
  return claimed
}

/** {@link DeliveryStore.recordAttempt}, in memory. */
export function recordAttempt(tables: Tables, attempt: DeliveryAttempt): void {
  const { id, webhookId, at: lastAttemptAt, status, nextAt, responseCode, error } = attempt
  const before = findClaimed(tables, id, webhookId, attempt.attempt)
  if (before === undefined) return
  replace(tables, { ...before, lastAttemptAt, status, nextAt, responseCode, error })
  noteHealth(tables, attempt)
}

/** {@link WebhookStore.removeDeliveries}, in memory. */
export function removeDeliveries(
  tables: Tables,
  some: readonly Pick<StoredDelivery, 'webhookId' | 'id'>[],
): void {
  for (const { webhookId, id } of some) {
    const rest = (tables.deliveries.get(webhookId) ?? []).filter((each) => each.id !== id)
    tables.deliveries.set(webhookId, rest)
  }
}

/** {@link DeliveryStore.pruneDeliveries}, in memory. */
export function pruneDeliveries(tables: Tables, { before, maxEnded, maxPending }: DeliveryLimits): void {
  for (const [id, deliveries] of tables.deliveries) {
    const ended = deliveries.filter(({ status, at }) => status !== 'pending' && at >= before)
    const kept = new Set(ended.slice(-maxEnded))
    const waiting = deliveries.filter(({ status }) => status === 'pending')
    const lost = new Set(waiting.slice(0, Math.max(0, waiting.length - maxPending)))
    const rest = deliveries.filter((each) => each.status === 'pending' || kept.has(each))
    const error = 'Too many events waited for this webhook'
    tables.deliveries.set(
      id,
      rest.map((each) => (lost.has(each) ? { ...each, status: 'failed', nextAt: null, error } : each)),
    )
  }
}

/** Those whose time has come: of each subject the first that waits. */
function findDue(tables: Tables, webhookId: string, now: string): readonly StoredDelivery[] {
  const subjects = new Set<string>()
  const due: StoredDelivery[] = []
  for (const delivery of tables.deliveries.get(webhookId) ?? []) {
    if (delivery.status !== 'pending' || subjects.has(delivery.subject)) continue
    subjects.add(delivery.subject)
    if (delivery.nextAt !== null && delivery.nextAt <= now) due.push(delivery)
  }
  return due
}

function findClaimed(
  tables: Tables,
  id: string,
  webhookId: string,
  attempts: number,
): StoredDelivery | undefined {
  const delivery = tables.deliveries.get(webhookId)?.find((each) => each.id === id)
  return delivery?.status === 'pending' && delivery.attempts === attempts ? delivery : undefined
}

function replace(tables: Tables, delivery: StoredDelivery): void {
  const deliveries = tables.deliveries.get(delivery.webhookId) ?? []
  const place = deliveries.findIndex(({ id }) => id === delivery.id)
  if (place >= 0) deliveries[place] = delivery
}

function noteHealth(tables: Tables, attempt: DeliveryAttempt): void {
  const { webhookId, status, at, disable, failingBefore } = attempt
  const webhook = tables.webhooks.get(webhookId)
  if (webhook === undefined) return
  if (status === 'delivered') {
    tables.webhooks.set(webhookId, { ...webhook, failingSince: null })
    return
  }
  const since = webhook.failingSince ?? at
  const reason = disable ?? (since <= failingBefore ? `Every attempt failed since ${since}` : null)
  const isEnabled = webhook.enabled && reason === null
  const failed = { ...webhook, failingSince: since, enabled: isEnabled }
  tables.webhooks.set(
    webhookId,
    reason === null ? failed : { ...failed, disabledReason: reason, updatedAt: at },
  )
  if (reason !== null) failWaiting(tables, webhookId)
}

function failWaiting(tables: Tables, webhookId: string): void {
  const deliveries = tables.deliveries.get(webhookId) ?? []
  tables.deliveries.set(
    webhookId,
    deliveries.map((each) =>
      each.status === 'pending' ? { ...each, status: 'failed', nextAt: null, error: disabledError } : each,
    ),
  )
}

import type { DeliveryStore, StoredDelivery, StoredWebhook, WebhookChanges } from '@homeward/kit/webhooks'
import type { NewAuditEntry } from './audit-store.ts'

/**
 * Webhooks and what they wait for (A30). Their `owner` is empty: a runtime has one operator.
 *
 * Verbs that end a run or a task, add an approval, or give a message up add a delivery for each enabled webhook that wants
 * the event, in their own transaction. A webhook gets no earlier events.
 */
export interface WebhookStore extends DeliveryStore {
  /** Adds a webhook. @returns false if there are `maxWebhooks` already. */
  insertWebhook(
    webhook: StoredWebhook,
    maxWebhooks: number,
    audit?: NewAuditEntry,
    signal?: AbortSignal,
  ): Promise<boolean>

  findWebhook(owner: string, id: string, signal?: AbortSignal): Promise<StoredWebhook | undefined>

  /** All webhooks, newest first. */
  listWebhooks(owner: string, signal?: AbortSignal): Promise<readonly StoredWebhook[]>

  /** Changes a webhook. What waits for one that is disabled fails; one that is enabled has not failed yet. */
  updateWebhook(
    owner: string,
    id: string,
    changes: WebhookChanges,
    now: string,
    audit?: NewAuditEntry,
    signal?: AbortSignal,
  ): Promise<StoredWebhook | undefined>

  /** Deletes a webhook with its deliveries. @returns the webhook, if there was one. */
  deleteWebhook(
    owner: string,
    id: string,
    audit?: NewAuditEntry,
    signal?: AbortSignal,
  ): Promise<StoredWebhook | undefined>

  /** Deliveries of a webhook, newest first. */
  listDeliveries(webhookId: string, limit: number, signal?: AbortSignal): Promise<readonly StoredDelivery[]>

  /** Adds a delivery that the caller attempts at once. */
  insertDelivery(delivery: StoredDelivery, signal?: AbortSignal): Promise<void>
}

import type { DeviceAccess } from '@homeward/contract/device-cloud'
import type {
  DeliveryClaim,
  DeliveryStore,
  DueDelivery,
  StoredDelivery,
  StoredWebhook,
  WebhookChanges,
} from '@homeward/kit/webhooks'
import type { NewAuditEntry } from './audit-store.ts'
import type { CreateOutcome, IdempotencyRecord } from './idempotency-record.ts'

/** A webhook of the device cloud. */
export interface CloudWebhook extends StoredWebhook {
  /** The only devices whose events it gets. @default all */
  readonly filter?: DeviceAccess
}

/** A delivery whose time has come, with the filter of its webhook. */
export interface DueCloudDelivery extends DueDelivery {
  readonly webhook: DueDelivery['webhook'] & Pick<CloudWebhook, 'filter'>
}

/**
 * Webhooks and what they wait for. See {@link DeviceStore} for what every method promises.
 *
 * Verbs that register or delete a device, report it as offline, or settle a search or an upload request add a delivery for
 * each enabled webhook of the owner that wants the event, in their own transaction. A webhook gets no earlier events.
 */
export interface WebhookStore extends DeliveryStore {
  /** Adds a webhook, once. `too_many`: the owner has `maxWebhooks` already, and nothing was added. */
  insertWebhook(
    webhook: CloudWebhook,
    maxWebhooks: number,
    once: IdempotencyRecord | undefined,
    audit?: readonly NewAuditEntry[],
    signal?: AbortSignal,
  ): Promise<CreateOutcome | { readonly kind: 'too_many' }>

  /** A webhook of this owner. */
  findWebhook(owner: string, id: string, signal?: AbortSignal): Promise<CloudWebhook | undefined>

  /** Webhooks of an owner, newest first. */
  listWebhooks(owner: string, signal?: AbortSignal): Promise<readonly CloudWebhook[]>

  /** Changes a webhook. What waits for one that is disabled fails; one that is enabled has not failed yet. */
  updateWebhook(
    owner: string,
    id: string,
    changes: WebhookChanges,
    now: string,
    audit?: readonly NewAuditEntry[],
    signal?: AbortSignal,
  ): Promise<CloudWebhook | undefined>

  /** Deletes a webhook with its deliveries. @returns the webhook, if there was one. */
  deleteWebhook(
    owner: string,
    id: string,
    audit?: readonly NewAuditEntry[],
    signal?: AbortSignal,
  ): Promise<CloudWebhook | undefined>

  /** Deliveries of a webhook, newest first. */
  listDeliveries(webhookId: string, limit: number, signal?: AbortSignal): Promise<readonly StoredDelivery[]>

  /** Adds a delivery that the caller attempts at once. */
  insertDelivery(
    delivery: StoredDelivery,
    audit?: readonly NewAuditEntry[],
    signal?: AbortSignal,
  ): Promise<void>

  /** {@link DeliveryStore.claimWebhookDeliveries}; what the filter of its webhook leaves out is claimed, too. */
  claimWebhookDeliveries(claim: DeliveryClaim, signal?: AbortSignal): Promise<readonly DueCloudDelivery[]>

  /** Removes deliveries that the filter of their webhook leaves out. */
  removeDeliveries(
    deliveries: readonly Pick<StoredDelivery, 'webhookId' | 'id'>[],
    signal?: AbortSignal,
  ): Promise<void>
}

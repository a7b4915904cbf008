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
 * Store of webhooks and their deliveries. {@link DeviceStore} states the rules for every method.
 *
 * Methods that register or delete a device, report it as offline, or settle a search or an upload request add a
 * delivery for each enabled webhook of the owner that subscribes to the event, in the same transaction. A webhook
 * receives no earlier events.
 */
export interface WebhookStore extends DeliveryStore {
  /** Adds a webhook once. `too_many`: the owner already has `maxWebhooks`, and nothing was added. */
  insertWebhook(
    webhook: CloudWebhook,
    maxWebhooks: number,
    once: IdempotencyRecord | undefined,
    audit?: readonly NewAuditEntry[],
    signal?: AbortSignal,
  ): Promise<CreateOutcome | { readonly kind: 'too_many' }>

  /** Finds a webhook of an owner. */
  findWebhook(owner: string, id: string, signal?: AbortSignal): Promise<CloudWebhook | undefined>

  /** Lists the webhooks of an owner, newest first. */
  listWebhooks(owner: string, signal?: AbortSignal): Promise<readonly CloudWebhook[]>

  /** Changes a webhook. Disabling it fails its waiting deliveries; enabling it resets its failures. */
  updateWebhook(
    owner: string,
    id: string,
    changes: WebhookChanges,
    now: string,
    audit?: readonly NewAuditEntry[],
    signal?: AbortSignal,
  ): Promise<CloudWebhook | undefined>

  /** Deletes a webhook with its deliveries. @returns the webhook, if it existed. */
  deleteWebhook(
    owner: string,
    id: string,
    audit?: readonly NewAuditEntry[],
    signal?: AbortSignal,
  ): Promise<CloudWebhook | undefined>

  /** Lists the deliveries of a webhook, newest first. */
  listDeliveries(webhookId: string, limit: number, signal?: AbortSignal): Promise<readonly StoredDelivery[]>

  /** Adds a delivery that the caller attempts at once. */
  insertDelivery(
    delivery: StoredDelivery,
    audit?: readonly NewAuditEntry[],
    signal?: AbortSignal,
  ): Promise<void>

  /**
   * Like {@link DeliveryStore.claimWebhookDeliveries}. Deliveries that the webhook's filter excludes are claimed too.
   */
  claimWebhookDeliveries(claim: DeliveryClaim, signal?: AbortSignal): Promise<readonly DueCloudDelivery[]>

  /** Removes deliveries that the filter of their webhook excludes. */
  removeDeliveries(
    deliveries: readonly Pick<StoredDelivery, 'webhookId' | 'id'>[],
    signal?: AbortSignal,
  ): Promise<void>
}

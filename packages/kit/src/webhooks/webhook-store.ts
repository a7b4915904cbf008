/** Stored fields of a webhook, shared by both servers. Times are ISO 8601 in UTC with milliseconds. */
export interface StoredWebhook {
  readonly id: string
  /** User id of the owner; empty on a server with one operator. */
  readonly owner: string
  readonly url: string
  /** Types of events that are delivered. */
  readonly events: readonly string[]
  readonly enabled: boolean
  /** Reason why the server disabled the webhook; null otherwise. */
  readonly disabledReason: string | null
  /** The secret as stored. The server may encrypt it. */
  readonly secret: string
  readonly createdAt: string
  readonly updatedAt: string
  /** Time since which every attempt failed; null if the last one succeeded. */
  readonly failingSince: string | null
}

/** Fields of a webhook that can be changed. */
export interface WebhookChanges {
  readonly url?: string | undefined
  readonly events?: readonly string[] | undefined
  readonly enabled?: boolean | undefined
}

/** Status of a delivery. */
export type DeliveryStatus = 'pending' | 'delivered' | 'failed'

/** The delivery of one event to one webhook. */
export interface StoredDelivery {
  /** The `webhook-id`, the same for every attempt. */
  readonly id: string
  readonly webhookId: string
  readonly type: string
  /** Events of one subject, such as a device or a run, are delivered in order. */
  readonly subject: string
  readonly data: Readonly<Record<string, unknown>>
  /** Time of the event. */
  readonly at: string
  readonly status: DeliveryStatus
  /** Number of attempts that have begun. */
  readonly attempts: number
  /** Time of the next attempt. Empty: at once. Null: no further attempt. */
  readonly nextAt: string | null
  readonly lastAttemptAt: string | null
  /** HTTP status of the last response; null without a response. */
  readonly responseCode: number | null
  /** Reason for the last failed attempt. Never contains a body. */
  readonly error: string | null
}

/** An event to deliver to each webhook of its owner that subscribes to its type. */
export interface NewWebhookEvent {
  /** Unique per owner. Must not contain a full stop. */
  readonly id: string
  readonly owner: string
  readonly type: string
  readonly subject: string
  readonly data: Readonly<Record<string, unknown>>
  readonly at: string
}

/** A delivery that is due. */
export interface DueDelivery {
  readonly delivery: StoredDelivery
  readonly webhook: Pick<StoredWebhook, 'id' | 'owner' | 'url' | 'secret'>
}

/** Selects the deliveries to claim. */
export interface DeliveryClaim {
  readonly now: string
  /** End of the claim. Afterwards, other processes may claim the deliveries. */
  readonly until: string
  /** Maximum number of deliveries per webhook. */
  readonly perWebhook: number
  readonly limit: number
  /** Webhooks to skip. */
  readonly busy: readonly string[]
}

/** Outcome of an attempt. */
export interface DeliveryAttempt {
  readonly id: string
  readonly webhookId: string
  /** Number of the claimed attempt. If another process has taken over, the outcome is ignored. */
  readonly attempt: number
  readonly at: string
  readonly status: DeliveryStatus
  /** Time of the next attempt; null if no further attempt follows. */
  readonly nextAt: string | null
  readonly responseCode: number | null
  readonly error: string | null
  /** Disables the webhook at once, with this reason. */
  readonly disable: string | null
  /** Disables the webhook if every attempt has failed since this time or earlier. */
  readonly failingBefore: string
}

/** Limits of stored deliveries. */
export interface DeliveryLimits {
  /** Completed deliveries of events before this time are removed. */
  readonly before: string
  /** Maximum number of completed deliveries per webhook. */
  readonly maxEnded: number
  /** Maximum number of waiting deliveries per webhook. Beyond it, the oldest fail. */
  readonly maxPending: number
}

/** Store methods for the delivery of webhooks. Every method is atomic. */
export interface DeliveryStore {
  /** Lists the event types to which an enabled webhook subscribes. */
  listWebhookTypes(signal?: AbortSignal): Promise<readonly string[]>

  /** Adds a delivery for each enabled webhook of the owner that subscribes to the type. A known event adds nothing. */
  addWebhookEvents(events: readonly NewWebhookEvent[], signal?: AbortSignal): Promise<void>

  /**
   * Claims due deliveries of enabled webhooks: only the oldest waiting one of each subject. Each claim counts as an
   * attempt.
   */
  claimWebhookDeliveries(claim: DeliveryClaim, signal?: AbortSignal): Promise<readonly DueDelivery[]>

  /** Records the outcome of an attempt. If the webhook is disabled, its waiting deliveries are removed. */
  recordAttempt(attempt: DeliveryAttempt, signal?: AbortSignal): Promise<void>

  /** Removes old deliveries and those above the limits. */
  pruneDeliveries(limits: DeliveryLimits, signal?: AbortSignal): Promise<void>
}

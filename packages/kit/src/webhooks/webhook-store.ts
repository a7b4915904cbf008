/** Facts about a webhook that both servers store. Times are ISO 8601, UTC, milliseconds. */
export interface StoredWebhook {
  readonly id: string
  /** User that it belongs to; empty where a server has one operator. */
  readonly owner: string
  readonly url: string
  /** Types of events that are delivered. */
  readonly events: readonly string[]
  readonly enabled: boolean
  /** Why the server disabled it; null if it did not. */
  readonly disabledReason: string | null
  /** The secret as it is stored: the server may seal it. */
  readonly secret: string
  readonly createdAt: string
  readonly updatedAt: string
  /** Since when every attempt failed; null if the last one succeeded. */
  readonly failingSince: string | null
}

/** What may be changed of a webhook. */
export interface WebhookChanges {
  readonly url?: string | undefined
  readonly events?: readonly string[] | undefined
  readonly enabled?: boolean | undefined
}

/** Where a delivery stands. */
export type DeliveryStatus = 'pending' | 'delivered' | 'failed'

/** One event on its way to one webhook. */
export interface StoredDelivery {
  /** The `webhook-id`: the same on every attempt. */
  readonly id: string
  readonly webhookId: string
  readonly type: string
  /** Events of one subject, such as a device or a run, are delivered in order. */
  readonly subject: string
  readonly data: Readonly<Record<string, unknown>>
  /** When it happened. */
  readonly at: string
  readonly status: DeliveryStatus
  /** Number of attempts that have begun. */
  readonly attempts: number
  /** When the next attempt is due; empty: at once. Null once it ended. */
  readonly nextAt: string | null
  readonly lastAttemptAt: string | null
  /** HTTP status of the last response; null without one. */
  readonly responseCode: number | null
  /** Why the last attempt failed. Never a body. */
  readonly error: string | null
}

/** An event to deliver to each webhook of its owner that wants its type. */
export interface NewWebhookEvent {
  /** Unique for each owner; holds no full stop. */
  readonly id: string
  readonly owner: string
  readonly type: string
  readonly subject: string
  readonly data: Readonly<Record<string, unknown>>
  readonly at: string
}

/** A delivery whose time has come. */
export interface DueDelivery {
  readonly delivery: StoredDelivery
  readonly webhook: Pick<StoredWebhook, 'id' | 'owner' | 'url' | 'secret'>
}

/** Which deliveries to claim. */
export interface DeliveryClaim {
  readonly now: string
  /** From then on other processes may claim them again. */
  readonly until: string
  /** Most deliveries of one webhook. */
  readonly perWebhook: number
  readonly limit: number
  /** Webhooks to pass over. */
  readonly busy: readonly string[]
}

/** How an attempt ended. */
export interface DeliveryAttempt {
  readonly id: string
  readonly webhookId: string
  /** Number of the attempt, as it was claimed: an attempt that somebody else took over changes nothing. */
  readonly attempt: number
  readonly at: string
  readonly status: DeliveryStatus
  /** When the next attempt is due; null once it ended. */
  readonly nextAt: string | null
  readonly responseCode: number | null
  readonly error: string | null
  /** Disables the webhook at once, with this reason. */
  readonly disable: string | null
  /** Disables the webhook if every attempt failed since this moment or longer. */
  readonly failingBefore: string
}

/** How much is stored of deliveries that ended, and how many may wait. */
export interface DeliveryLimits {
  /** Deliveries that ended and happened before this moment are removed. */
  readonly before: string
  /** Deliveries that ended, for each webhook. */
  readonly maxEnded: number
  /** Deliveries that wait, for each webhook: the oldest beyond it fail. */
  readonly maxPending: number
}

/** Methods of a store that the delivery of webhooks needs. Every method is atomic. */
export interface DeliveryStore {
  /** Types of events that some enabled webhook wants. */
  listWebhookTypes(signal?: AbortSignal): Promise<readonly string[]>

  /** Adds a delivery for each enabled webhook of the owner that wants the type. An event that is known adds nothing. */
  addWebhookEvents(events: readonly NewWebhookEvent[], signal?: AbortSignal): Promise<void>

  /**
   * Claims deliveries of enabled webhooks whose time has come, of each subject the oldest that waits only. Each counts as an
   * attempt that was begun.
   */
  claimWebhookDeliveries(claim: DeliveryClaim, signal?: AbortSignal): Promise<readonly DueDelivery[]>

  /** Records how an attempt ended. A webhook that is disabled by it loses what waits. */
  recordAttempt(attempt: DeliveryAttempt, signal?: AbortSignal): Promise<void>

  /** Removes what is too much or too old. */
  pruneDeliveries(limits: DeliveryLimits, signal?: AbortSignal): Promise<void>
}

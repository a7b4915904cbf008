import type { Webhook, WebhookDelivery } from '@homeward/contract/device-cloud'
import type { StoredDelivery, StoredWebhook } from '@homeward/kit/webhooks'

/** A webhook as its owner sees it. */
export function toWebhook(webhook: StoredWebhook): Webhook {
  const { id, url, events, enabled, disabledReason, failingSince, createdAt, updatedAt } = webhook
  return {
    id,
    url,
    events: [...events],
    enabled,
    ...(disabledReason !== null && { disabledReason }),
    ...(failingSince !== null && { failingSince }),
    createdAt,
    updatedAt,
  }
}

/** A delivery as its owner sees it. */
export function toDelivery(delivery: StoredDelivery): WebhookDelivery {
  const { id, type, status, attempts, at, lastAttemptAt, nextAt, responseCode, error } = delivery
  return {
    id,
    type,
    status,
    attempts,
    createdAt: at,
    ...(lastAttemptAt !== null && { lastAttemptAt }),
    ...(nextAt !== null && nextAt !== '' && { nextAttemptAt: nextAt }),
    ...(responseCode !== null && { responseCode }),
    ...(error !== null && { error }),
  }
}

import type { Webhook, WebhookDelivery } from '@homeward/contract/agent-platform'
import type { StoredDelivery, StoredWebhook } from '@homeward/kit/webhooks'

/** A webhook without its secret. */
export function toWebhook(webhook: StoredWebhook): Webhook {
  const { id, url, events, enabled, disabledReason, failingSince, createdAt, updatedAt } = webhook
  return {
    id,
    url,
    events: [...events],
    enabled,
    ...(disabledReason !== null && { disabled_reason: disabledReason }),
    ...(failingSince !== null && { failing_since: failingSince }),
    created_at: createdAt,
    updated_at: updatedAt,
  }
}

/** A delivery without its body. */
export function toDelivery(delivery: StoredDelivery): WebhookDelivery {
  const { id, type, status, attempts, at, lastAttemptAt, nextAt, responseCode, error } = delivery
  return {
    id,
    type,
    status,
    attempts,
    created_at: at,
    ...(lastAttemptAt !== null && { last_attempt_at: lastAttemptAt }),
    ...(nextAt !== null && nextAt !== '' && { next_attempt_at: nextAt }),
    ...(responseCode !== null && { response_code: responseCode }),
    ...(error !== null && { error }),
  }
}

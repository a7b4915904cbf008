import type { Kysely } from 'kysely'
import type { StoredDelivery, StoredWebhook, WebhookChanges } from '../../webhooks/webhook-store.ts'
import { all, first, type Plan } from '../plan.ts'
import { createWebhookStatements } from './webhook-statements.ts'
import { toStoredDelivery, toStoredWebhook, type WebhookTables } from './webhook-tables.ts'

/** Why deliveries fail that wait when their webhook is disabled. */
export const disabledError = 'The webhook was disabled'

/** Returns the users' actions on webhooks as parts of plans. Each server adds its audit entries. */
export function planWebhooks<Tables extends WebhookTables>(given: Kysely<Tables>) {
  // Its tables are among those of the server.
  const statements = createWebhookStatements(given as unknown as Kysely<WebhookTables>)

  function* findWebhook(owner: string, id: string): Plan<StoredWebhook | undefined> {
    const row = yield* first(statements.find, { owner, id })
    return row === undefined ? undefined : toStoredWebhook(row)
  }

  return {
    findWebhook,

    /** @returns false if the owner has `maxWebhooks` already. */
    *insertWebhook(webhook: StoredWebhook, maxWebhooks: number): Plan<boolean> {
      const held = yield* all(statements.count, { owner: webhook.owner, limit: maxWebhooks })
      if (held.length >= maxWebhooks) return false
      yield* all(statements.insert, {
        id: webhook.id,
        owner: webhook.owner,
        url: webhook.url,
        events: JSON.stringify(webhook.events),
        enabled: webhook.enabled ? 1 : 0,
        secret: webhook.secret,
        created_at: webhook.createdAt,
      })
      return true
    },

    *listWebhooks(owner: string): Plan<readonly StoredWebhook[]> {
      return (yield* all(statements.list, { owner })).map(toStoredWebhook)
    },

    /** Changes a webhook. Whoever enables it begins anew; of one that is disabled nothing waits any more. */
    *updateWebhook(
      owner: string,
      id: string,
      changes: WebhookChanges,
      now: string,
    ): Plan<StoredWebhook | undefined> {
      const before = yield* findWebhook(owner, id)
      if (before === undefined) return undefined
      const { url = before.url, events = before.events, enabled = before.enabled } = changes
      const restarts = changes.enabled === true
      const row = {
        id,
        url,
        events: JSON.stringify(events),
        enabled: enabled ? 1 : 0,
        disabled_reason: enabled ? null : before.disabledReason,
        failing_since: restarts ? null : before.failingSince,
        updated_at: now,
      }
      yield* all(statements.update, row)
      if (!enabled) yield* all(statements.failWaiting, { webhookId: id, error: disabledError })
      return yield* findWebhook(owner, id)
    },

    *deleteWebhook(owner: string, id: string): Plan<StoredWebhook | undefined> {
      const webhook = yield* findWebhook(owner, id)
      if (webhook !== undefined) yield* all(statements.remove, { id })
      return webhook
    },

    *listDeliveries(webhookId: string, limit: number): Plan<readonly StoredDelivery[]> {
      return (yield* all(statements.listDeliveries, { webhookId, limit })).map(toStoredDelivery)
    },

    /** Adds a delivery that the caller attempts at once. */
    *insertDelivery(delivery: StoredDelivery): Plan<void> {
      const { id, webhookId, subject, type, at, attempts, nextAt } = delivery
      const row = { id, webhookId, subject, type, at, attempts, nextAt, data: JSON.stringify(delivery.data) }
      yield* all(statements.insertDelivery, row)
    },
  }
}

import type { Kysely } from 'kysely'
import type {
  DeliveryAttempt,
  DeliveryClaim,
  DeliveryLimits,
  DueDelivery,
  NewWebhookEvent,
} from '../../webhooks/webhook-store.ts'
import { all, each, first, type Plan } from '../plan.ts'
import { createDeliveryStatements } from './delivery-statements.ts'
import { disabledError } from './webhook-plans.ts'
import { toStoredDelivery, type WebhookTables } from './webhook-tables.ts'

/** Returns the methods of `DeliveryStore` as plans. */
export function planDeliveries<Tables extends WebhookTables>(given: Kysely<Tables>) {
  // Its tables are among those of the server.
  const statements = createDeliveryStatements(given as unknown as Kysely<WebhookTables>)

  function* disable(webhookId: string, reason: string, at: string): Plan<void> {
    yield* all(statements.disable, { id: webhookId, reason, at })
    yield* all(statements.failWaiting, { webhookId, error: disabledError })
  }

  /** Notes whether a webhook fails, and disables one that failed for too long. */
  function* noteHealth({ webhookId, status, at, disable: now, failingBefore }: DeliveryAttempt): Plan<void> {
    if (status === 'delivered') {
      yield* all(statements.noteSuccess, { id: webhookId })
      return
    }
    const since = (yield* first(statements.noteFailure, { id: webhookId, at }))?.since ?? at
    const reason = now ?? (since <= failingBefore ? `Every attempt failed since ${since}` : null)
    if (reason !== null) yield* disable(webhookId, reason, at)
  }

  return {
    *listWebhookTypes(): Plan<readonly string[]> {
      const rows = yield* all(statements.listTypes, {})
      // written by `JSON.stringify` from a list
      return [...new Set(rows.flatMap(({ events }) => JSON.parse(events) as string[]))]
    },

    *addWebhookEvents(events: readonly NewWebhookEvent[]): Plan<void> {
      if (events.length === 0) return
      const rows = events.map((event) => ({
        ...event,
        data: JSON.stringify(event.data),
        named: `%"${event.type}"%`,
      }))
      yield* each(statements.add, rows)
    },

    *claimWebhookDeliveries({
      now,
      until,
      perWebhook,
      limit,
      busy,
    }: DeliveryClaim): Plan<readonly DueDelivery[]> {
      const passed = new Set(busy)
      const webhooks = (yield* all(statements.listDue, { now })).filter(({ id }) => !passed.has(id))
      if (webhooks.length === 0) return []
      const claims = webhooks.slice(0, limit).map(({ id }) => ({ webhookId: id, now, limit: perWebhook }))
      const found = (yield* each(statements.findDue, claims)).slice(0, limit)
      if (found.length === 0) return []
      const rows = yield* each(
        statements.claim,
        found.map(({ seq }) => ({ seq, now, until })),
      )
      const byId = new Map(webhooks.map((webhook) => [webhook.id, webhook]))
      return rows.flatMap((row) => {
        const webhook = byId.get(row.webhook_id)
        return webhook === undefined ? [] : [{ delivery: toStoredDelivery(row), webhook }]
      })
    },

    *recordAttempt(attempt: DeliveryAttempt): Plan<void> {
      const { id, webhookId, attempt: attempts, at, status, nextAt, responseCode, error } = attempt
      const row = { id, webhookId, attempts, at, status, nextAt, responseCode, error }
      const recorded = yield* all(statements.record, row)
      if (recorded.length > 0) yield* noteHealth(attempt)
    },

    *pruneDeliveries({ before, maxEnded, maxPending }: DeliveryLimits): Plan<void> {
      const webhooks = yield* all(statements.listIds, {})
      if (webhooks.length === 0) return
      const ids = webhooks.map(({ id }) => ({ webhookId: id }))
      yield* each(
        statements.removeEnded,
        ids.map((one) => ({ ...one, before, limit: maxEnded })),
      )
      yield* each(
        statements.failOverflow,
        ids.map((one) => ({ ...one, limit: maxPending })),
      )
    },
  }
}

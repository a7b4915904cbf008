import type { DeviceAccess } from '@homeward/contract/device-cloud'
import { all, compileStatement, each, planDeliveries, planWebhooks, Undo } from '@homeward/kit/sql'
import type { DeliveryClaim, StoredDelivery, StoredWebhook, WebhookChanges } from '@homeward/kit/webhooks'
import type { Kysely } from 'kysely'
import type { NewAuditEntry } from '../ports/audit-store.ts'
import type { CreateOutcome, IdempotencyRecord } from '../ports/idempotency-record.ts'
import type { CloudWebhook, DueCloudDelivery } from '../ports/webhook-store.ts'
import type { CloudPlanParts } from './cloud-plans.ts'
import type { Plan } from './plan.ts'
import type { CloudTables } from './schema.ts'

type InsertOutcome = CreateOutcome | { readonly kind: 'too_many' }

/** The verbs of `WebhookStore` as plans. */
export function createCloudWebhookPlans(
  db: Kysely<CloudTables>,
  { claimOnce, appendAudit }: Pick<CloudPlanParts, 'claimOnce' | 'appendAudit'>,
) {
  const webhooks = planWebhooks(db)
  const deliveries = planDeliveries(db)
  const { setFilter, findFilter, removeDelivery } = createFilterStatements(db)

  /** The same webhooks with their filters. */
  function* withFilters<Webhook extends { readonly id: string }>(
    found: readonly Webhook[],
  ): Plan<(Webhook & Pick<CloudWebhook, 'filter'>)[]> {
    if (found.length === 0) return []
    const rows = yield* each(
      findFilter,
      found.map(({ id }) => ({ id })),
    )
    // Written by `JSON.stringify` from a checked filter.
    const filters = new Map(rows.map(({ id, filter }) => [id, JSON.parse(filter) as DeviceAccess]))
    return found.map((webhook) => {
      const filter = filters.get(webhook.id)
      return filter === undefined ? webhook : { ...webhook, filter }
    })
  }

  return {
    ...deliveries,
    listDeliveries: webhooks.listDeliveries,

    *findWebhook(owner: string, id: string): Plan<CloudWebhook | undefined> {
      const webhook = yield* webhooks.findWebhook(owner, id)
      return webhook && (yield* withFilters([webhook]))[0]
    },

    *listWebhooks(owner: string): Plan<readonly CloudWebhook[]> {
      return yield* withFilters(yield* webhooks.listWebhooks(owner))
    },

    *claimWebhookDeliveries(claim: DeliveryClaim): Plan<readonly DueCloudDelivery[]> {
      const due = yield* deliveries.claimWebhookDeliveries(claim)
      const known = new Map(due.map(({ webhook }) => [webhook.id, webhook]))
      const found = new Map((yield* withFilters([...known.values()])).map((webhook) => [webhook.id, webhook]))
      return due.map(({ delivery, webhook }) => ({ delivery, webhook: found.get(webhook.id) ?? webhook }))
    },

    *removeDeliveries(some: readonly Pick<StoredDelivery, 'webhookId' | 'id'>[]): Plan<void> {
      if (some.length === 0) return
      yield* each(
        removeDelivery,
        some.map(({ webhookId, id }) => ({ webhookId, id })),
      )
    },

    *insertWebhook(
      { filter, ...webhook }: CloudWebhook,
      maxWebhooks: number,
      once: IdempotencyRecord | undefined,
      audit?: readonly NewAuditEntry[],
    ): Plan<InsertOutcome> {
      const repeated = yield* claimOnce(once)
      if (repeated !== undefined) return repeated
      if (!(yield* webhooks.insertWebhook(webhook, maxWebhooks)))
        throw new Undo<InsertOutcome>({ kind: 'too_many' })
      if (filter !== undefined) yield* all(setFilter, { id: webhook.id, filter: JSON.stringify(filter) })
      yield* appendAudit(audit)
      return { kind: 'created' }
    },

    *updateWebhook(
      owner: string,
      id: string,
      changes: WebhookChanges,
      now: string,
      audit?: readonly NewAuditEntry[],
    ): Plan<CloudWebhook | undefined> {
      const webhook = yield* webhooks.updateWebhook(owner, id, changes, now)
      if (webhook === undefined) return undefined
      yield* appendAudit(audit)
      return (yield* withFilters([webhook]))[0]
    },

    *deleteWebhook(
      owner: string,
      id: string,
      audit?: readonly NewAuditEntry[],
    ): Plan<StoredWebhook | undefined> {
      const webhook = yield* webhooks.deleteWebhook(owner, id)
      if (webhook !== undefined) yield* appendAudit(audit)
      return webhook
    },

    *insertDelivery(delivery: StoredDelivery, audit?: readonly NewAuditEntry[]): Plan<void> {
      yield* webhooks.insertDelivery(delivery)
      yield* appendAudit(audit)
    },
  }
}

function createFilterStatements(db: Kysely<CloudTables>) {
  return {
    setFilter: compileStatement<{ id: string; filter: string }, never>('write', ({ id, filter }) =>
      db.updateTable('webhooks').set({ filter }).where('id', '=', id),
    ),
    findFilter: compileStatement<{ id: string }, { id: string; filter: string }>('read', ({ id }) =>
      db
        .selectFrom('webhooks')
        .select(['id', 'filter'])
        .$narrowType<{ filter: string }>()
        .where('id', '=', id)
        .where('filter', 'is not', null),
    ),
    removeDelivery: compileStatement<{ webhookId: string; id: string }, never>('write', ({ webhookId, id }) =>
      db.deleteFrom('webhook_deliveries').where('webhook_id', '=', webhookId).where('id', '=', id),
    ),
  }
}

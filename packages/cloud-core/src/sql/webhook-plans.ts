import { planDeliveries, planWebhooks, Undo } from '@homeward/kit/sql'
import type { StoredDelivery, StoredWebhook, WebhookChanges } from '@homeward/kit/webhooks'
import type { Kysely } from 'kysely'
import type { NewAuditEntry } from '../ports/audit-store.ts'
import type { CreateOutcome, IdempotencyRecord } from '../ports/idempotency-record.ts'
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
  return {
    ...planDeliveries(db),
    findWebhook: webhooks.findWebhook,
    listWebhooks: webhooks.listWebhooks,
    listDeliveries: webhooks.listDeliveries,

    *insertWebhook(
      webhook: StoredWebhook,
      maxWebhooks: number,
      once: IdempotencyRecord | undefined,
      audit?: readonly NewAuditEntry[],
    ): Plan<InsertOutcome> {
      const repeated = yield* claimOnce(once)
      if (repeated !== undefined) return repeated
      if (!(yield* webhooks.insertWebhook(webhook, maxWebhooks)))
        throw new Undo<InsertOutcome>({ kind: 'too_many' })
      yield* appendAudit(audit)
      return { kind: 'created' }
    },

    *updateWebhook(
      owner: string,
      id: string,
      changes: WebhookChanges,
      now: string,
      audit?: readonly NewAuditEntry[],
    ): Plan<StoredWebhook | undefined> {
      const webhook = yield* webhooks.updateWebhook(owner, id, changes, now)
      if (webhook !== undefined) yield* appendAudit(audit)
      return webhook
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

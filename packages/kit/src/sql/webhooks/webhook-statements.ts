import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { compileStatement, limitTo } from '../plan.ts'
import {
  deliveryColumns,
  webhookColumns,
  type WebhookDeliveriesTable,
  type WebhooksTable,
  type WebhookTables,
} from './webhook-tables.ts'

type NewRow = Omit<WebhooksTable, 'disabled_reason' | 'updated_at' | 'failing_since'>
type ChangedRow = Omit<WebhooksTable, 'owner' | 'secret' | 'created_at'>
/** A row of a delivery as it is read. */
export type DeliveryRow = Omit<WebhookDeliveriesTable, 'seq'>

interface NewDelivery {
  id: string
  webhookId: string
  subject: string
  type: string
  data: string
  at: string
  attempts: number
  nextAt: string | null
}

/** Statements on webhooks and on the lists of their deliveries. */
export function createWebhookStatements(db: Kysely<WebhookTables>) {
  return {
    insert: compileStatement<NewRow, unknown>('write', (row) =>
      db.insertInto('webhooks').values({
        id: row.id,
        owner: row.owner,
        url: row.url,
        events: row.events,
        enabled: row.enabled,
        disabled_reason: null,
        secret: row.secret,
        created_at: row.created_at,
        updated_at: row.created_at,
        failing_since: null,
      }),
    ),
    count: compileStatement<{ owner: string; limit: number }, { id: string }>('read', ({ owner, limit }) =>
      db.selectFrom('webhooks').select('id').where('owner', '=', owner).limit(limitTo(limit)),
    ),
    find: compileStatement<{ owner: string; id: string }, WebhooksTable>('read', ({ owner, id }) =>
      db.selectFrom('webhooks').select(webhookColumns).where('id', '=', id).where('owner', '=', owner),
    ),
    list: compileStatement<{ owner: string }, WebhooksTable>('read', ({ owner }) =>
      db
        .selectFrom('webhooks')
        .select(webhookColumns)
        .where('owner', '=', owner)
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc'),
    ),
    update: compileStatement<ChangedRow, unknown>('write', (row) =>
      db
        .updateTable('webhooks')
        .set({
          url: row.url,
          events: row.events,
          enabled: row.enabled,
          disabled_reason: row.disabled_reason,
          failing_since: row.failing_since,
          updated_at: row.updated_at,
        })
        .where('id', '=', row.id),
    ),
    remove: compileStatement<{ id: string }, unknown>('write', ({ id }) =>
      db.deleteFrom('webhooks').where('id', '=', id),
    ),
    failWaiting: compileFailWaiting(db),
    listDeliveries: compileStatement<{ webhookId: string; limit: number }, DeliveryRow>(
      'read',
      ({ webhookId, limit }) =>
        db
          .selectFrom('webhook_deliveries')
          .select(deliveryColumns)
          .where('webhook_id', '=', webhookId)
          .orderBy('seq', 'desc')
          .limit(limitTo(limit)),
    ),
    insertDelivery: compileStatement<NewDelivery, unknown>('write', (row) =>
      db.insertInto('webhook_deliveries').values({
        id: row.id,
        webhook_id: row.webhookId,
        subject: row.subject,
        type: row.type,
        data: row.data,
        at: row.at,
        status: sql.lit('pending'),
        attempts: row.attempts,
        next_at: row.nextAt,
      }),
    ),
  }
}

/** Ends what waits of a webhook that is disabled. */
export function compileFailWaiting(db: Kysely<WebhookTables>) {
  return compileStatement<{ webhookId: string; error: string }, unknown>('write', ({ webhookId, error }) =>
    db
      .updateTable('webhook_deliveries')
      .set({ status: sql.lit('failed'), next_at: null, error })
      .where('webhook_id', '=', webhookId)
      .where('status', '=', sql.lit('pending')),
  )
}

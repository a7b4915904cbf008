import type { Compilable, Generated, Kysely } from 'kysely'
import { sql } from 'kysely'
import type { DeliveryStatus, StoredDelivery, StoredWebhook } from '../../webhooks/webhook-store.ts'

/** Webhooks. */
export interface WebhooksTable {
  id: string
  owner: string
  url: string
  /** JSON. */
  events: string
  enabled: number
  disabled_reason: string | null
  secret: string
  created_at: string
  updated_at: string
  failing_since: string | null
}

/** Deliveries, in the order of `seq`. */
export interface WebhookDeliveriesTable {
  seq: Generated<number>
  id: string
  webhook_id: string
  subject: string
  type: string
  /** JSON. */
  data: string
  at: string
  status: DeliveryStatus
  attempts: number
  next_at: string | null
  last_at: string | null
  response_code: number | null
  error: string | null
}

/** The tables of webhooks. */
export interface WebhookTables {
  webhooks: WebhooksTable
  webhook_deliveries: WebhookDeliveriesTable
}

/** Builds the SQL that creates the tables of webhooks. */
export function buildWebhookTables({ schema }: Pick<Kysely<unknown>, 'schema'>): readonly Compilable[] {
  const pending = sql<boolean>`status = 'pending'`
  return [
    schema
      .createTable('webhooks')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('owner', 'text', (column) => column.notNull())
      .addColumn('url', 'text', (column) => column.notNull())
      .addColumn('events', 'text', (column) => column.notNull())
      .addColumn('enabled', 'integer', (column) => column.notNull())
      .addColumn('disabled_reason', 'text')
      .addColumn('secret', 'text', (column) => column.notNull())
      .addColumn('created_at', 'text', (column) => column.notNull())
      .addColumn('updated_at', 'text', (column) => column.notNull())
      .addColumn('failing_since', 'text'),
    schema.createIndex('webhooks_owner').on('webhooks').columns(['owner', 'created_at', 'id']),
    schema
      .createTable('webhook_deliveries')
      .addColumn('seq', 'integer', (column) => column.primaryKey())
      .addColumn('id', 'text', (column) => column.notNull())
      .addColumn('webhook_id', 'text', (column) =>
        column.notNull().references('webhooks.id').onDelete('cascade'),
      )
      .addColumn('subject', 'text', (column) => column.notNull())
      .addColumn('type', 'text', (column) => column.notNull())
      .addColumn('data', 'text', (column) => column.notNull())
      .addColumn('at', 'text', (column) => column.notNull())
      .addColumn('status', 'text', (column) => column.notNull())
      .addColumn('attempts', 'integer', (column) => column.notNull())
      .addColumn('next_at', 'text')
      .addColumn('last_at', 'text')
      .addColumn('response_code', 'integer')
      .addColumn('error', 'text'),
    schema
      .createIndex('webhook_deliveries_id')
      .unique()
      .on('webhook_deliveries')
      .columns(['webhook_id', 'id']),
    schema.createIndex('webhook_deliveries_list').on('webhook_deliveries').columns(['webhook_id', 'seq']),
    schema
      .createIndex('webhook_deliveries_due')
      .on('webhook_deliveries')
      .columns(['webhook_id', 'next_at', 'seq'])
      .where(pending),
    schema
      .createIndex('webhook_deliveries_order')
      .on('webhook_deliveries')
      .columns(['webhook_id', 'subject', 'seq'])
      .where(pending),
  ]
}

/** Columns of a webhook as it is read. */
export const webhookColumns = [
  'webhooks.id',
  'webhooks.owner',
  'webhooks.url',
  'webhooks.events',
  'webhooks.enabled',
  'webhooks.disabled_reason',
  'webhooks.secret',
  'webhooks.created_at',
  'webhooks.updated_at',
  'webhooks.failing_since',
] as const

/** Columns of a delivery as it is read. */
export const deliveryColumns = [
  'webhook_deliveries.id',
  'webhook_deliveries.webhook_id',
  'webhook_deliveries.subject',
  'webhook_deliveries.type',
  'webhook_deliveries.data',
  'webhook_deliveries.at',
  'webhook_deliveries.status',
  'webhook_deliveries.attempts',
  'webhook_deliveries.next_at',
  'webhook_deliveries.last_at',
  'webhook_deliveries.response_code',
  'webhook_deliveries.error',
] as const

/** A webhook from its row. */
export function toStoredWebhook(row: WebhooksTable): StoredWebhook {
  return {
    id: row.id,
    owner: row.owner,
    url: row.url,
    events: JSON.parse(row.events) as string[], // written by `JSON.stringify` from a list
    enabled: row.enabled === 1,
    disabledReason: row.disabled_reason,
    secret: row.secret,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    failingSince: row.failing_since,
  }
}

/** A delivery from its row. */
export function toStoredDelivery(row: Omit<WebhookDeliveriesTable, 'seq'>): StoredDelivery {
  return {
    id: row.id,
    webhookId: row.webhook_id,
    type: row.type,
    subject: row.subject,
    data: JSON.parse(row.data) as StoredDelivery['data'], // written as an object
    at: row.at,
    status: row.status,
    attempts: row.attempts,
    nextAt: row.next_at,
    lastAttemptAt: row.last_at,
    responseCode: row.response_code,
    error: row.error,
  }
}

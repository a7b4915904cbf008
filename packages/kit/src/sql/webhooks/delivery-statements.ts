import type { Kysely, RawBuilder } from 'kysely'
import { sql } from 'kysely'
import type { DeliveryStatus, StoredWebhook } from '../../webhooks/webhook-store.ts'
import { compileStatement, limitTo } from '../plan.ts'
import { compileFailWaiting, type DeliveryRow } from './webhook-statements.ts'
import { deliveryColumns, type WebhookTables } from './webhook-tables.ts'

interface NewEvent {
  id: string
  owner: string
  type: string
  subject: string
  data: string
  at: string
  named: string
}

interface Recorded {
  id: string
  webhookId: string
  attempts: number
  at: string
  status: DeliveryStatus
  nextAt: string | null
  responseCode: number | null
  error: string | null
}

type DueWebhook = Pick<StoredWebhook, 'id' | 'owner' | 'url' | 'secret'>

const enabled = sql.lit(1)
const pending = sql.lit('pending' as const)

/** Statements that deliver. */
export function createDeliveryStatements(db: Kysely<WebhookTables>) {
  return {
    ...adding(db),
    ...claiming(db),
    ...recording(db),
    ...pruning(db),
    failWaiting: compileFailWaiting(db),
  }
}

function adding(db: Kysely<WebhookTables>) {
  const text = (value: string): RawBuilder<string> => sql<string>`cast(${value} as text)`
  return {
    listTypes: compileStatement<object, { events: string }>('read', () =>
      db.selectFrom('webhooks').select('events').distinct().where('enabled', '=', enabled),
    ),
    add: compileStatement<NewEvent, unknown>('write', (event) =>
      db
        .insertInto('webhook_deliveries')
        .columns(['id', 'webhook_id', 'subject', 'type', 'data', 'at', 'status', 'attempts', 'next_at'])
        .expression(
          db
            .selectFrom('webhooks')
            .select([
              text(event.id).as('id'),
              'webhooks.id as webhook_id',
              text(event.subject).as('subject'),
              text(event.type).as('type'),
              text(event.data).as('data'),
              text(event.at).as('at'),
              pending.as('status'),
              sql.lit(0).as('attempts'),
              sql.lit('').as('next_at'),
            ])
            .where('owner', '=', event.owner)
            .where('enabled', '=', enabled)
            .where('events', 'like', event.named),
        )
        .onConflict((conflict) => conflict.columns(['webhook_id', 'id']).doNothing()),
    ),
  }
}

function claiming(db: Kysely<WebhookTables>) {
  return {
    listDue: compileStatement<{ now: string }, DueWebhook>('read', ({ now }) =>
      db
        .selectFrom('webhooks')
        .select(['id', 'owner', 'url', 'secret'])
        .where('enabled', '=', enabled)
        .where((eb) =>
          eb.exists(
            eb
              .selectFrom('webhook_deliveries as due')
              .select('due.seq')
              .whereRef('due.webhook_id', '=', 'webhooks.id')
              .where('due.status', '=', pending)
              .where('due.next_at', '<=', now),
          ),
        ),
    ),
    findDue: compileStatement<{ webhookId: string; now: string; limit: number }, { seq: number }>(
      'read',
      ({ webhookId, now, limit }) =>
        db
          .selectFrom('webhook_deliveries as due')
          .select('due.seq')
          .where('due.webhook_id', '=', webhookId)
          .where('due.status', '=', pending)
          .where('due.next_at', '<=', now)
          .where((eb) =>
            eb.not(
              eb.exists(
                eb
                  .selectFrom('webhook_deliveries as earlier')
                  .select('earlier.seq')
                  .whereRef('earlier.webhook_id', '=', 'due.webhook_id')
                  .whereRef('earlier.subject', '=', 'due.subject')
                  .where('earlier.status', '=', pending)
                  .whereRef('earlier.seq', '<', 'due.seq'),
              ),
            ),
          )
          .orderBy('due.next_at')
          .orderBy('due.seq')
          .limit(limitTo(limit)),
    ),
    claim: compileStatement<{ seq: number; now: string; until: string }, DeliveryRow>(
      'write',
      ({ seq, now, until }) =>
        db
          .updateTable('webhook_deliveries')
          .set({ next_at: until, attempts: sql`attempts + 1` })
          .where('seq', '=', seq)
          .where('status', '=', pending)
          .where('next_at', '<=', now)
          .returning(deliveryColumns),
    ),
  }
}

function recording(db: Kysely<WebhookTables>) {
  return {
    record: compileStatement<Recorded, { id: string }>('write', (row) =>
      db
        .updateTable('webhook_deliveries')
        .set({
          status: row.status,
          next_at: row.nextAt,
          last_at: row.at,
          response_code: row.responseCode,
          error: row.error,
        })
        .where('webhook_id', '=', row.webhookId)
        .where('id', '=', row.id)
        .where('attempts', '=', row.attempts)
        .where('status', '=', pending)
        .returning('id'),
    ),
    noteSuccess: compileStatement<{ id: string }, unknown>('write', ({ id }) =>
      db
        .updateTable('webhooks')
        .set({ failing_since: null })
        .where('id', '=', id)
        .where('failing_since', 'is not', null),
    ),
    noteFailure: compileStatement<{ id: string; at: string }, { since: string | null }>(
      'write',
      ({ id, at }) =>
        db
          .updateTable('webhooks')
          .set({ failing_since: sql`coalesce(failing_since, cast(${at} as text))` })
          .where('id', '=', id)
          .returning('failing_since as since'),
    ),
    disable: compileStatement<{ id: string; reason: string; at: string }, unknown>(
      'write',
      ({ id, reason, at }) =>
        db
          .updateTable('webhooks')
          .set({ enabled: sql.lit(0), disabled_reason: reason, updated_at: at })
          .where('id', '=', id)
          .where('enabled', '=', enabled),
    ),
  }
}

function pruning(db: Kysely<WebhookTables>) {
  /** The newest of the rows that are too many; their numbers are no greater. */
  const overflow = (webhookId: string, limit: number, waits: boolean) =>
    db
      .selectFrom('webhook_deliveries as newer')
      .select('newer.seq')
      .where('newer.webhook_id', '=', webhookId)
      .where('newer.status', waits ? '=' : '<>', pending)
      .orderBy('newer.seq', 'desc')
      .limit(sql.lit(1))
      .offset(limitTo(limit))
  return {
    listIds: compileStatement<object, { id: string }>('read', () => db.selectFrom('webhooks').select('id')),
    removeEnded: compileStatement<{ webhookId: string; before: string; limit: number }, unknown>(
      'write',
      ({ webhookId, before, limit }) =>
        db
          .deleteFrom('webhook_deliveries')
          .where('webhook_id', '=', webhookId)
          .where('status', '<>', pending)
          .where((eb) => eb.or([eb('at', '<', before), eb('seq', '<=', overflow(webhookId, limit, false))])),
    ),
    failOverflow: compileStatement<{ webhookId: string; limit: number }, unknown>(
      'write',
      ({ webhookId, limit }) =>
        db
          .updateTable('webhook_deliveries')
          .set({
            status: sql.lit('failed'),
            next_at: null,
            error: sql.lit('Too many events waited for this webhook'),
          })
          .where('webhook_id', '=', webhookId)
          .where('status', '=', pending)
          .where('seq', '<=', overflow(webhookId, limit, true)),
    ),
  }
}

import type { ChannelSenderKind } from '@homeward/contract/agent-platform'
import type { Kysely, Selectable } from 'kysely'
import { sql } from 'kysely'
import { compileStatement } from '@homeward/kit/sql'
import type { ChannelPeer, StoredSender } from '../../ports/channel-sender.ts'
import type { ChannelSendersTable } from './channel-tables.ts'
import type { RuntimeTables } from '../schema.ts'

/** A sender as it is read. */
export type SenderRow = Selectable<ChannelSendersTable>

/** What a decision or a request writes: it links nobody. */
type DecidedRow = Omit<SenderRow, 'user_id' | 'link_code' | 'link_until'>

interface Seen {
  readonly channel: string
  readonly id: string
  readonly kind: ChannelSenderKind
  readonly name: string | null
  readonly now: string
}

/** Statements on the senders of channels. */
export function createSenderStatements(db: Kysely<RuntimeTables>) {
  const isPending = sql<boolean>`status = 'pending'`
  return {
    find: compileStatement<{ channel: string; id: string }, SenderRow>('read', ({ channel, id }) =>
      db.selectFrom('channel_senders').selectAll().where('channel', '=', channel).where('id', '=', id),
    ),
    list: compileStatement<{ channel: string }, SenderRow>('read', ({ channel }) =>
      db.selectFrom('channel_senders').selectAll().where('channel', '=', channel),
    ),
    countPending: compileStatement<{ channel: string; kind: ChannelSenderKind }, { count: number }>(
      'read',
      ({ channel, kind }) =>
        db
          .selectFrom('channel_senders')
          .select(sql<number>`cast(count(*) as integer)`.as('count'))
          .where(isPending)
          .where('user_id', 'is', null)
          .where('channel', '=', channel)
          .where('kind', '=', kind),
    ),
    /** The pending sender that was seen longest ago and has no valid code. */
    findStale: compileStatement<{ channel: string; kind: ChannelSenderKind; now: string }, { id: string }>(
      'read',
      ({ channel, kind, now }) =>
        db
          .selectFrom('channel_senders')
          .select('id')
          .where(isPending)
          .where('user_id', 'is', null)
          .where('channel', '=', channel)
          .where('kind', '=', kind)
          .where((eb) => eb.or([eb('code_until', 'is', null), eb('code_until', '<=', now)]))
          .orderBy('last_seen_at')
          .limit(sql.lit(1)),
    ),
    delete: compileStatement<{ channel: string; id: string }, unknown>('write', ({ channel, id }) =>
      db.deleteFrom('channel_senders').where('channel', '=', channel).where('id', '=', id),
    ),
    put: compileStatement<DecidedRow, unknown>('write', (row) =>
      db
        .insertInto('channel_senders')
        .values({
          channel: row.channel,
          id: row.id,
          kind: row.kind,
          name: row.name,
          status: row.status,
          code: row.code,
          code_until: row.code_until,
          first_seen_at: row.first_seen_at,
          last_seen_at: row.last_seen_at,
        })
        .onConflict((conflict) =>
          conflict.columns(['channel', 'id']).doUpdateSet((eb) => ({
            kind: eb.ref('excluded.kind'),
            name: eb.ref('excluded.name'),
            status: eb.ref('excluded.status'),
            code: eb.ref('excluded.code'),
            code_until: eb.ref('excluded.code_until'),
            last_seen_at: eb.ref('excluded.last_seen_at'),
          })),
        ),
    ),
    /** Notes the newest message of a sender that is stored. */
    touch: compileStatement<Seen, unknown>('write', ({ channel, id, kind, name, now }) =>
      db
        .updateTable('channel_senders')
        .set((eb) => ({
          kind: sql<ChannelSenderKind>`coalesce(kind, ${kind})`,
          name: name === null ? eb.ref('name') : name,
          last_seen_at: now,
        }))
        .where('channel', '=', channel)
        .where('id', '=', id),
    ),
  }
}

/** A sender from its row. */
export function toStoredSender(row: Omit<SenderRow, 'link_code' | 'link_until'>): StoredSender {
  const { kind, name, code, code_until: codeUntil, user_id: userId } = row
  return {
    channel: row.channel,
    id: row.id,
    ...(kind !== null && { kind }),
    ...(name !== null && { name }),
    status: row.status,
    ...(code !== null && codeUntil !== null && { code, codeUntil }),
    ...(userId !== null && { userId }),
    firstSeenAt: row.first_seen_at,
    lastSeenAt: row.last_seen_at,
  }
}

/** The row of a sender that has just asked to be let in. */
export function toPendingRow(
  { channel, id, kind, name }: ChannelPeer,
  pairing: { readonly code: string; readonly until: string } | undefined,
  now: string,
): DecidedRow {
  return {
    channel,
    id,
    kind,
    name: name ?? null,
    status: 'pending',
    code: pairing?.code ?? null,
    code_until: pairing?.until ?? null,
    first_seen_at: now,
    last_seen_at: now,
  }
}

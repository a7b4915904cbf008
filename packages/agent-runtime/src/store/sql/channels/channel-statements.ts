import type { Kysely, Selectable } from 'kysely'
import { sql } from 'kysely'
import { compileStatement } from '@homeward/kit/sql'
import type {
  ChannelKeysTable,
  ChannelMessagesTable,
  ChannelPartsTable,
  ChannelPollsTable,
} from './channel-tables.ts'
import { isInTrouble, isOpen } from './channel-list.ts'
import type { RuntimeTables } from '../schema.ts'

/** A message as it is read. */
export type ChannelMessageRow = Selectable<ChannelMessagesTable>
/** A part as it is read. */
export type ChannelPartRow = Selectable<ChannelPartsTable>

type NewRow = Pick<
  ChannelMessageRow,
  'id' | 'channel' | 'conversation_id' | 'task_id' | 'is_report' | 'updated_at' | 'message'
>

/** What changes of a message. */
export type ChannelMessageChange = Pick<
  ChannelMessageRow,
  'seq' | 'status' | 'open' | 'tries' | 'next_at' | 'lease_owner' | 'lease_until' | 'updated_at' | 'failure'
>

/** Answers of one channel that a claim looks at, and old keys that a write removes, at the most. */
export const channelRowsAtOnce = 64

/** Statements on messages. */
export function createMessageStatements(db: Kysely<RuntimeTables>) {
  return {
    insert: compileStatement<NewRow, unknown>('write', (row) =>
      db.insertInto('channel_messages').values({
        id: row.id,
        channel: row.channel,
        conversation_id: row.conversation_id,
        task_id: row.task_id,
        is_report: row.is_report,
        status: 'waiting',
        open: 1,
        tries: 0,
        updated_at: row.updated_at,
        message: row.message,
      }),
    ),
    find: compileStatement<{ id: string }, ChannelMessageRow>('read', ({ id }) =>
      db.selectFrom('channel_messages').selectAll().where('id', '=', id),
    ),
    /** A task that is gone has ended. */
    listReady: compileStatement<{ channel: string; now: string }, ChannelMessageRow>(
      'read',
      ({ channel, now }) =>
        db
          .selectFrom('channel_messages as m')
          .selectAll('m')
          .where('m.channel', '=', channel)
          .where('m.open', '=', sql.lit(1))
          .where((eb) => eb.or([eb('m.next_at', 'is', null), eb('m.next_at', '<=', now)]))
          .where((eb) => eb.or([eb('m.lease_until', 'is', null), eb('m.lease_until', '<=', now)]))
          .where(
            sql<boolean>`not exists (select 1 from tasks where tasks.id = m.task_id and tasks.finished_at is null)`,
          )
          .where(sql<boolean>`(m.is_report = 1 or not exists (select 1 from channel_messages as older
            where older.conversation_id = m.conversation_id and older.open = 1 and older.seq < m.seq
            and older.is_report = 0 and (older.task_id is null) = (m.task_id is null)))`)
          .orderBy('m.seq')
          .limit(sql.lit(channelRowsAtOnce)),
    ),
    change: compileStatement<ChannelMessageChange, unknown>('write', (row) =>
      db
        .updateTable('channel_messages')
        .set({
          status: row.status,
          open: row.open,
          tries: row.tries,
          next_at: row.next_at,
          lease_owner: row.lease_owner,
          lease_until: row.lease_until,
          updated_at: row.updated_at,
          failure: row.failure,
        })
        .where('seq', '=', row.seq),
    ),
    renew: compileStatement<{ id: string; owner: string; until: string }, { id: string }>(
      'write',
      ({ id, owner, until }) =>
        db
          .updateTable('channel_messages')
          .set({ lease_until: until })
          .where('id', '=', id)
          .where('lease_owner', '=', owner)
          .returning('id'),
    ),
    count: compileStatement<{ channel: string }, { waiting: number; failed: number; uncertain: number }>(
      'read',
      ({ channel }) => {
        const count = (condition: ReturnType<typeof sql<boolean>>) =>
          sql<number>`(select cast(count(*) as integer) from channel_messages
            where channel = ${channel} and ${condition})`
        return db.selectNoFrom([
          count(isOpen).as('waiting'),
          count(sql<boolean>`${isInTrouble} and status = 'failed'`).as('failed'),
          count(sql<boolean>`${isInTrouble} and status = 'uncertain'`).as('uncertain'),
        ])
      },
    ),
  }
}

/** Statements that remove messages. */
export function createDoneStatements(db: Kysely<RuntimeTables>) {
  return {
    findDone: compileStatement<{ before: string }, { seq: number; id: string }>('read', ({ before }) =>
      db
        .selectFrom('channel_messages')
        .select(['seq', 'id'])
        .where(sql<boolean>`status in ('delivered', 'discarded')`)
        .where('updated_at', '<', before)
        .limit(sql.lit(channelRowsAtOnce)),
    ),
    delete: compileStatement<{ seq: number }, unknown>('write', ({ seq }) =>
      db.deleteFrom('channel_messages').where('seq', '=', seq),
    ),
    deleteParts: compileStatement<{ seq: number }, unknown>('write', ({ seq }) =>
      db.deleteFrom('channel_parts').where('message_seq', '=', seq),
    ),
  }
}

/** Statements on parts. */
export function createPartStatements(db: Kysely<RuntimeTables>) {
  return {
    insert: compileStatement<ChannelPartRow, unknown>('write', (row) =>
      db.insertInto('channel_parts').values({
        message_seq: row.message_seq,
        number: row.number,
        state: row.state,
        is_plain: row.is_plain,
        platform_id: row.platform_id,
        text: row.text,
        plain: row.plain,
        file: row.file,
      }),
    ),
    list: compileStatement<{ seq: number }, ChannelPartRow>('read', ({ seq }) =>
      db.selectFrom('channel_parts').selectAll().where('message_seq', '=', seq).orderBy('number'),
    ),
    change: compileStatement<Omit<ChannelPartRow, 'text' | 'plain' | 'file'>, unknown>('write', (row) =>
      db
        .updateTable('channel_parts')
        .set({ state: row.state, is_plain: row.is_plain, platform_id: row.platform_id })
        .where('message_seq', '=', row.message_seq)
        .where('number', '=', row.number),
    ),
    /** What may not have arrived is sent again. */
    reset: compileStatement<{ seq: number }, unknown>('write', ({ seq }) =>
      db
        .updateTable('channel_parts')
        .set({ state: sql.lit('pending') })
        .where('message_seq', '=', seq)
        .where('state', '=', 'sending'),
    ),
  }
}

/** Statements on keys and on asking for messages. */
export function createSourceStatements(db: Kysely<RuntimeTables>) {
  return {
    /** Takes a key that is free or whose time is over. @returns a row then. */
    takeKey: compileStatement<ChannelKeysTable & { now: string }, { key: string }>(
      'write',
      ({ key, until, now }) =>
        db
          .insertInto('channel_keys')
          .values({ key, until })
          .onConflict((conflict) =>
            conflict
              .column('key')
              .doUpdateSet((eb) => ({ until: eb.ref('excluded.until') }))
              .where('channel_keys.until', '<=', now),
          )
          .returning('key'),
    ),
    findKey: compileStatement<{ key: string; now: string }, { key: string }>('read', ({ key, now }) =>
      db.selectFrom('channel_keys').select('key').where('key', '=', key).where('until', '>', now),
    ),
    listOldKeys: compileStatement<{ now: string }, { key: string }>('read', ({ now }) =>
      db
        .selectFrom('channel_keys')
        .select('key')
        .where('until', '<=', now)
        .orderBy('until')
        .limit(sql.lit(channelRowsAtOnce)),
    ),
    /** Unless it was taken anew meanwhile. */
    deleteKey: compileStatement<{ key: string; now: string }, unknown>('write', ({ key, now }) =>
      db.deleteFrom('channel_keys').where('key', '=', key).where('until', '<=', now),
    ),
    findPoll: compileStatement<{ source: string }, ChannelPollsTable>('read', ({ source }) =>
      db.selectFrom('channel_polls').selectAll().where('source', '=', source),
    ),
    leasePoll: compileStatement<{ source: string; owner: string; until: string }, unknown>(
      'write',
      ({ source, owner, until }) =>
        db
          .insertInto('channel_polls')
          .values({ source, lease_owner: owner, lease_until: until })
          .onConflict((conflict) =>
            conflict.column('source').doUpdateSet((eb) => ({
              lease_owner: eb.ref('excluded.lease_owner'),
              lease_until: eb.ref('excluded.lease_until'),
            })),
          ),
    ),
    movePoll: compileStatement<{ source: string; offset: number }, unknown>('write', ({ source, offset }) =>
      db.updateTable('channel_polls').set({ next_offset: offset }).where('source', '=', source),
    ),
    releasePoll: compileStatement<{ source: string; owner: string }, unknown>('write', ({ source, owner }) =>
      db
        .updateTable('channel_polls')
        .set({ lease_owner: null, lease_until: null })
        .where('source', '=', source)
        .where('lease_owner', '=', owner),
    ),
  }
}

import type { Kysely, Selectable } from 'kysely'
import { sql } from 'kysely'
import { compileStatement } from '@homeward/kit/sql'
import type { ChannelChatsTable } from './chat-tables.ts'
import { channelRowsAtOnce } from './channel-statements.ts'
import type { RuntimeTables } from '../schema.ts'

/** A chat as it is read. */
export type ChatRow = Selectable<ChannelChatsTable>

/** What a message tells about its chat. */
type SeenRow = Omit<ChatRow, 'seq' | 'conversation_id'>

/** The newest chats, which stay whatever happens. Older ones go once none of their messages is stored. */
const maxChats = 20_000

/** Statements on chats. */
export function createChatStatements(db: Kysely<RuntimeTables>) {
  return {
    insert: compileStatement<SeenRow, unknown>('write', (row) =>
      db.insertInto('channel_chats').values({
        chat: row.chat,
        channel: row.channel,
        target: row.target,
        peer_kind: row.peer_kind,
        peer_id: row.peer_id,
        used_conversation_id: row.used_conversation_id,
        last_seen_at: row.last_seen_at,
      }),
    ),
    /** Notes the newest message of a chat. */
    touch: compileStatement<Omit<SeenRow, 'channel'>, { chat: string }>('write', (row) =>
      db
        .updateTable('channel_chats')
        .set({
          target: row.target,
          peer_kind: row.peer_kind,
          peer_id: row.peer_id,
          used_conversation_id: row.used_conversation_id,
          last_seen_at: row.last_seen_at,
        })
        .where('chat', '=', row.chat),
    ),
    begin: compileStatement<{ chat: string; conversationId: string }, unknown>(
      'write',
      ({ chat, conversationId }) =>
        db.updateTable('channel_chats').set({ conversation_id: conversationId }).where('chat', '=', chat),
    ),
    find: compileStatement<{ chat: string }, ChatRow>('read', ({ chat }) =>
      db.selectFrom('channel_chats').selectAll().where('chat', '=', chat),
    ),
    findBegun: compileStatement<{ conversationId: string }, ChatRow>('read', ({ conversationId }) =>
      db.selectFrom('channel_chats').selectAll().where('conversation_id', '=', conversationId),
    ),
    findUsed: compileStatement<{ conversationId: string }, ChatRow>('read', ({ conversationId }) =>
      db.selectFrom('channel_chats').selectAll().where('used_conversation_id', '=', conversationId),
    ),
    /** The private chat of a person that has had a message last. */
    findOfPerson: compileStatement<{ channel: string; id: string }, ChatRow>('read', ({ channel, id }) =>
      db
        .selectFrom('channel_chats')
        .selectAll()
        .where('peer_id', '=', id)
        .where('channel', '=', channel)
        .where('peer_kind', '=', sql.lit('person'))
        .orderBy('last_seen_at', 'desc')
        .limit(sql.lit(1)),
    ),
    /** Forgets the chats of a person that no message for an agent has come from. */
    deleteUnused: compileStatement<{ channel: string; id: string }, unknown>('write', ({ channel, id }) =>
      db
        .deleteFrom('channel_chats')
        .where('peer_id', '=', id)
        .where('channel', '=', channel)
        .where('conversation_id', 'is', null)
        .where('used_conversation_id', 'is', null),
    ),
    /** Tasks of a chat that have not ended, the oldest first. */
    listWork: compileStatement<{ chat: string }, { task_id: string }>('read', ({ chat }) =>
      db
        .selectFrom('channel_messages as m')
        .innerJoin('tasks', 'tasks.id', 'm.task_id')
        .select('tasks.id as task_id')
        .where('m.conversation_id', '=', chat)
        .where('m.open', '=', sql.lit(1))
        .where('m.is_report', '=', sql.lit(0))
        .where('tasks.finished_at', 'is', null)
        .orderBy('m.seq'),
    ),
    listSurplus: compileStatement<object, { chat: string }>('read', () =>
      db
        .selectFrom('channel_chats')
        .select('chat')
        .where(sql<boolean>`seq <= (select max(seq) from channel_chats) - ${sql.lit(maxChats)}`)
        .where(
          sql<boolean>`not exists (select 1 from channel_messages as m where m.conversation_id = channel_chats.chat)`,
        )
        .orderBy('seq')
        .limit(sql.lit(channelRowsAtOnce)),
    ),
    delete: compileStatement<{ chat: string }, unknown>('write', ({ chat }) =>
      db.deleteFrom('channel_chats').where('chat', '=', chat),
    ),
  }
}

import type { ChannelSenderKind } from '@homeward/contract/agent-platform'
import type { Compilable, Generated, Kysely } from 'kysely'
import type { RuntimeTables } from '../schema.ts'

/** Chats from which a message was stored. */
export interface ChannelChatsTable {
  seq: Generated<number>
  chat: string
  channel: string
  /** JSON of where a message that starts with the agent goes. */
  target: string
  /** The group, or the person in a private chat. */
  peer_kind: ChannelSenderKind
  peer_id: string
  /** Begun by a command; null: it has the id of the chat. */
  conversation_id: string | null
  /** Conversation of the last message that had a task. */
  used_conversation_id: string | null
  last_seen_at: string
}

/** Which agent answers in which chat. */
export interface ChannelRoutesTable {
  channel: string
  conversation: string
  agent_id: string
}

/** Makes the tables of chats. */
export function buildChats({ schema }: Kysely<RuntimeTables>): readonly Compilable[] {
  return [
    schema
      .createTable('channel_chats')
      .addColumn('seq', 'integer', (column) => column.primaryKey())
      .addColumn('chat', 'text', (column) => column.notNull().unique())
      .addColumn('channel', 'text', (column) => column.notNull())
      .addColumn('target', 'text', (column) => column.notNull())
      .addColumn('peer_kind', 'text', (column) => column.notNull())
      .addColumn('peer_id', 'text', (column) => column.notNull())
      .addColumn('conversation_id', 'text')
      .addColumn('used_conversation_id', 'text')
      .addColumn('last_seen_at', 'text', (column) => column.notNull()),
    schema
      .createTable('channel_routes')
      .addColumn('channel', 'text', (column) => column.notNull())
      .addColumn('conversation', 'text', (column) => column.notNull())
      .addColumn('agent_id', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('channel_routes_pk', ['channel', 'conversation']),
    schema
      .createIndex('channel_chats_peer')
      .on('channel_chats')
      .columns(['peer_id', 'channel', 'peer_kind', 'last_seen_at']),
    schema.createIndex('channel_chats_begun').on('channel_chats').column('conversation_id'),
    schema.createIndex('channel_chats_used').on('channel_chats').column('used_conversation_id'),
  ]
}

import type {
  ChannelMessageStatus,
  ChannelSenderKind,
  ChannelSenderStatus,
} from '@homeward/contract/agent-platform'
import type { Compilable, Generated, Kysely } from 'kysely'
import { sql } from 'kysely'
import type { StoredOutboundPart } from '../../ports/channel-store.ts'
import { buildChats, type ChannelChatsTable, type ChannelRoutesTable } from './chat-tables.ts'
import type { RuntimeTables } from '../schema.ts'
import { buildNotices, type ApprovalNoticesTable } from './notice-tables.ts'

/** Messages that came in, in the order in which they were kept. */
export interface ChannelMessagesTable {
  seq: Generated<number>
  id: string
  channel: string
  conversation_id: string
  /** Null for a message that came with its answer. */
  task_id: string | null
  /** 1 for a report about the task, else 0. */
  is_report: Generated<number>
  status: ChannelMessageStatus
  /** 1 while its answer is waited for or on its way, else 0. */
  open: number
  tries: number
  next_at: string | null
  lease_owner: string | null
  lease_until: string | null
  updated_at: string
  /** JSON of the message as it came in. */
  message: string
  /** JSON. */
  failure: string | null
}

/** What answers are sent as. */
export interface ChannelPartsTable {
  message_seq: number
  number: number
  state: StoredOutboundPart['state']
  /** 1 or 0. */
  is_plain: number
  platform_id: string | null
  text: string
  plain: string
  /** JSON of a reference. */
  file: string | null
}

/** Keys by which a message that comes again is known. */
export interface ChannelKeysTable {
  key: string
  until: string
}

/** Where asking for messages goes on, and who asks. */
export interface ChannelPollsTable {
  source: string
  next_offset: number | null
  lease_owner: string | null
  lease_until: string | null
}

/** People and groups that have asked to be let in, or about which somebody has decided. */
export interface ChannelSendersTable {
  channel: string
  id: string
  kind: ChannelSenderKind | null
  name: string | null
  status: ChannelSenderStatus
  code: string | null
  code_until: string | null
  /** User that it is linked to. */
  user_id: string | null
  /** By which another sender can be linked to it. */
  link_code: string | null
  link_until: string | null
  first_seen_at: string
  last_seen_at: string
}

/** The tables of the messaging channels. */
export interface ChannelTables {
  approval_notices: ApprovalNoticesTable
  channel_messages: ChannelMessagesTable
  channel_parts: ChannelPartsTable
  channel_keys: ChannelKeysTable
  channel_polls: ChannelPollsTable
  channel_senders: ChannelSendersTable
  channel_chats: ChannelChatsTable
  channel_routes: ChannelRoutesTable
}

/** Makes the tables of the messaging channels. */
export function buildChannelTables(db: Kysely<RuntimeTables>): readonly Compilable[] {
  return [
    ...buildMessages(db),
    ...buildParts(db),
    ...buildSources(db),
    ...buildSenders(db),
    ...buildNotices(db),
    ...buildChats(db),
  ]
}

function buildMessages({ schema }: Kysely<RuntimeTables>): readonly Compilable[] {
  return [
    schema
      .createTable('channel_messages')
      .addColumn('seq', 'integer', (column) => column.primaryKey())
      .addColumn('id', 'text', (column) => column.notNull().unique())
      .addColumn('channel', 'text', (column) => column.notNull())
      .addColumn('conversation_id', 'text', (column) => column.notNull())
      .addColumn('task_id', 'text')
      .addColumn('is_report', 'integer', (column) => column.notNull().defaultTo(0))
      .addColumn('status', 'text', (column) => column.notNull())
      .addColumn('open', 'integer', (column) => column.notNull())
      .addColumn('tries', 'integer', (column) => column.notNull())
      .addColumn('next_at', 'text')
      .addColumn('lease_owner', 'text')
      .addColumn('lease_until', 'text')
      .addColumn('updated_at', 'text', (column) => column.notNull())
      .addColumn('message', 'text', (column) => column.notNull())
      .addColumn('failure', 'text'),
    schema.createIndex('channel_messages_channel').on('channel_messages').columns(['channel', 'seq']),
    schema
      .createIndex('channel_messages_open')
      .on('channel_messages')
      .columns(['channel', 'seq'])
      .where(sql<boolean>`open = 1`),
    schema
      .createIndex('channel_messages_conversation')
      .on('channel_messages')
      .columns(['conversation_id', 'seq']),
    schema
      .createIndex('channel_messages_conversation_open')
      .on('channel_messages')
      .columns(['conversation_id', 'seq'])
      .where(sql<boolean>`open = 1`),
    schema
      .createIndex('channel_messages_reports')
      .on('channel_messages')
      .column('task_id')
      .where(sql<boolean>`is_report = 1`),
    schema
      .createIndex('channel_messages_trouble')
      .on('channel_messages')
      .columns(['channel', 'status', 'seq'])
      .where(sql<boolean>`status in ('failed', 'uncertain')`),
    schema
      .createIndex('channel_messages_done')
      .on('channel_messages')
      .column('updated_at')
      .where(sql<boolean>`status in ('delivered', 'discarded')`),
  ]
}

function buildParts({ schema }: Kysely<RuntimeTables>): readonly Compilable[] {
  return [
    schema
      .createTable('channel_parts')
      .addColumn('message_seq', 'integer', (column) =>
        column.notNull().references('channel_messages.seq').onDelete('cascade'),
      )
      .addColumn('number', 'integer', (column) => column.notNull())
      .addColumn('state', 'text', (column) => column.notNull())
      .addColumn('is_plain', 'integer', (column) => column.notNull())
      .addColumn('platform_id', 'text')
      .addColumn('text', 'text', (column) => column.notNull())
      .addColumn('plain', 'text', (column) => column.notNull())
      .addColumn('file', 'text')
      .addPrimaryKeyConstraint('channel_parts_pk', ['message_seq', 'number']),
  ]
}

function buildSources({ schema }: Kysely<RuntimeTables>): readonly Compilable[] {
  return [
    schema
      .createTable('channel_keys')
      .addColumn('key', 'text', (column) => column.primaryKey())
      .addColumn('until', 'text', (column) => column.notNull()),
    schema.createIndex('channel_keys_until').on('channel_keys').column('until'),
    schema
      .createTable('channel_polls')
      .addColumn('source', 'text', (column) => column.primaryKey())
      .addColumn('next_offset', 'integer')
      .addColumn('lease_owner', 'text')
      .addColumn('lease_until', 'text'),
  ]
}

function buildSenders({ schema }: Kysely<RuntimeTables>): readonly Compilable[] {
  return [
    schema
      .createTable('channel_senders')
      .addColumn('channel', 'text', (column) => column.notNull())
      .addColumn('id', 'text', (column) => column.notNull())
      .addColumn('kind', 'text')
      .addColumn('name', 'text')
      .addColumn('status', 'text', (column) => column.notNull())
      .addColumn('code', 'text')
      .addColumn('code_until', 'text')
      .addColumn('first_seen_at', 'text', (column) => column.notNull())
      .addColumn('last_seen_at', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('channel_senders_pk', ['channel', 'id']),
    schema
      .createIndex('channel_senders_pending')
      .on('channel_senders')
      .columns(['channel', 'kind', 'last_seen_at'])
      .where(sql<boolean>`status = 'pending'`),
  ]
}

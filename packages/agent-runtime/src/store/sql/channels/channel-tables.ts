import type { ChannelMessageStatus } from '@homeward/contract/agent-platform'
import type { Compilable, Generated, Kysely } from 'kysely'
import { sql } from 'kysely'
import type { StoredOutPart } from '../../ports/channel-store.ts'
import type { RuntimeTables } from '../schema.ts'

/** Messages that came in, in the order in which they were kept. */
export interface ChannelMessagesTable {
  seq: Generated<number>
  id: string
  channel: string
  conversation_id: string
  task_id: string
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
  state: StoredOutPart['state']
  /** 1 or 0. */
  is_plain: number
  platform_id: string | null
  text: string
  plain: string
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

/** The tables of the messaging channels. */
export interface ChannelTables {
  channel_messages: ChannelMessagesTable
  channel_parts: ChannelPartsTable
  channel_keys: ChannelKeysTable
  channel_polls: ChannelPollsTable
}

/** Makes the tables of the messaging channels. */
export function buildChannelTables(db: Kysely<RuntimeTables>): readonly Compilable[] {
  return [...buildMessages(db), ...buildParts(db), ...buildSources(db)]
}

function buildMessages({ schema }: Kysely<RuntimeTables>): readonly Compilable[] {
  return [
    schema
      .createTable('channel_messages')
      .addColumn('seq', 'integer', (column) => column.primaryKey())
      .addColumn('id', 'text', (column) => column.notNull().unique())
      .addColumn('channel', 'text', (column) => column.notNull())
      .addColumn('conversation_id', 'text', (column) => column.notNull())
      .addColumn('task_id', 'text', (column) => column.notNull())
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

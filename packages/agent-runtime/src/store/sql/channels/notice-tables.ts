import type { Compilable, Kysely } from 'kysely'
import { sql } from 'kysely'
import type { RuntimeTables } from '../schema.ts'

/** Where calls that wait for a person are announced. */
export interface ApprovalNoticesTable {
  run_id: string
  approval_id: string
  channel: string
  chat: string
  code: string
  message_id: string
  /** 1 if messages of the chat wait for the decision, else 0. */
  blocking: number
  /** 1 until the chat is told of the decision, then 0. */
  open: number
}

/** Makes the table of announcements. */
export function buildNotices({ schema }: Kysely<RuntimeTables>): readonly Compilable[] {
  return [
    schema
      .createTable('approval_notices')
      .addColumn('run_id', 'text', (column) => column.notNull().references('runs.id').onDelete('cascade'))
      .addColumn('approval_id', 'text', (column) => column.notNull())
      .addColumn('channel', 'text', (column) => column.notNull())
      .addColumn('chat', 'text', (column) => column.notNull())
      .addColumn('code', 'text', (column) => column.notNull())
      .addColumn('message_id', 'text', (column) => column.notNull())
      .addColumn('blocking', 'integer', (column) => column.notNull())
      .addColumn('open', 'integer', (column) => column.notNull())
      .addPrimaryKeyConstraint('approval_notices_pk', ['run_id', 'approval_id', 'chat']),
    schema.createIndex('approval_notices_chat').on('approval_notices').columns(['chat', 'code']),
    schema
      .createIndex('approval_notices_open')
      .on('approval_notices')
      .columns(['chat', 'run_id', 'approval_id'])
      .where(sql<boolean>`open = 1`),
  ]
}

import type { Compilable, Generated, Kysely } from 'kysely'
import type { RuntimeTables } from '../schema.ts'

/** Access tokens. */
export interface AccessTokensTable {
  id: string
  hash: string
  created_at: string
  expires_at: string | null
  last_used_at: string | null
  sealed: string | null
  /** JSON of the rest. */
  token: string
}

/** The audit, in the order of writing. */
export interface AuditTable {
  seq: Generated<number>
  id: string
  at: string
  actor: string
  action: string
  target: string
  outcome: 'done' | 'refused'
  /** JSON; null for none. */
  details: string | null
}

/** The tables of who may call, and who changed what. */
export interface AccessTables {
  access_tokens: AccessTokensTable
  audit: AuditTable
}

/** Makes the tables of access tokens and of the audit. */
export function buildAccessTables({ schema }: Kysely<RuntimeTables>): readonly Compilable[] {
  return [
    schema
      .createTable('access_tokens')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('hash', 'text', (column) => column.notNull().unique())
      .addColumn('created_at', 'text', (column) => column.notNull())
      .addColumn('expires_at', 'text')
      .addColumn('last_used_at', 'text')
      .addColumn('sealed', 'text')
      .addColumn('token', 'text', (column) => column.notNull()),
    schema
      .createTable('audit')
      .addColumn('seq', 'integer', (column) => column.primaryKey())
      .addColumn('id', 'text', (column) => column.notNull().unique())
      .addColumn('at', 'text', (column) => column.notNull())
      .addColumn('actor', 'text', (column) => column.notNull())
      .addColumn('action', 'text', (column) => column.notNull())
      .addColumn('target', 'text', (column) => column.notNull())
      .addColumn('outcome', 'text', (column) => column.notNull())
      .addColumn('details', 'text'),
    schema.createIndex('audit_time').on('audit').columns(['at', 'seq']),
  ]
}

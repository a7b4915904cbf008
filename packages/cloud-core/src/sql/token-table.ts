import type { Compilable, Kysely } from 'kysely'
import type { Grant } from '@homeward/contract'
import type { StoredToken } from '../ports/token-store.ts'
import type { CloudTables } from './schema.ts'

/** API tokens (C30). */
export interface ApiTokensTable {
  id: string
  owner: string
  hash: string
  hint: string
  name: string
  /** JSON. */
  may: string
  created_at: string
  created_by: string | null
  expires_at: string | null
  last_used_at: string | null
}

/** A token as it lies in its table. */
export type TokenRow = Omit<StoredToken, 'may'> & { readonly may: string }

/** Columns of a {@link TokenRow}. */
export const tokenColumns = [
  'api_tokens.id',
  'api_tokens.owner',
  'api_tokens.hash',
  'api_tokens.hint',
  'api_tokens.name',
  'api_tokens.may',
  'api_tokens.created_at as createdAt',
  'api_tokens.created_by as createdBy',
  'api_tokens.expires_at as expiresAt',
  'api_tokens.last_used_at as lastUsedAt',
] as const

/** Row of a token. */
export function toTokenRow(token: StoredToken): TokenRow {
  return { ...token, may: JSON.stringify(token.may) }
}

/** Token of a row. */
export function toStoredToken(row: TokenRow): StoredToken {
  // Written by `JSON.stringify` from a checked list.
  return { ...row, may: JSON.parse(row.may) as Grant[] }
}

/** The table of API tokens. */
export function buildApiTokens({ schema }: Kysely<CloudTables>): readonly Compilable[] {
  return [
    schema
      .createTable('api_tokens')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('owner', 'text', (column) => column.notNull())
      .addColumn('hash', 'text', (column) => column.notNull())
      .addColumn('hint', 'text', (column) => column.notNull())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('may', 'text', (column) => column.notNull())
      .addColumn('created_at', 'text', (column) => column.notNull())
      .addColumn('created_by', 'text')
      .addColumn('expires_at', 'text')
      .addColumn('last_used_at', 'text'),
    schema.createIndex('api_tokens_hash').unique().on('api_tokens').column('hash'),
    schema.createIndex('api_tokens_owner').on('api_tokens').columns(['owner', 'created_at', 'id']),
  ]
}

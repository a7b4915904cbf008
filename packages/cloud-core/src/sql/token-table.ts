import type { Compilable, Kysely } from 'kysely'
import type { Grant } from '@homeward/contract'
import type { DeviceAccess } from '@homeward/contract/device-cloud'
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
  /** JSON. */
  filter: string | null
}

/** A token as it lies in its table. */
export type TokenRow = Omit<StoredToken, 'may' | 'filter'> & {
  readonly may: string
  readonly filter: string | null
}

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
  'api_tokens.filter',
] as const

/** Row of a token. */
export function toTokenRow(token: StoredToken): TokenRow {
  return {
    ...token,
    may: JSON.stringify(token.may),
    filter: token.filter === undefined ? null : JSON.stringify(token.filter),
  }
}

/** Token of a row. */
export function toStoredToken({ may, filter, ...row }: TokenRow): StoredToken {
  // Written by `JSON.stringify` from what was checked.
  return {
    ...row,
    may: JSON.parse(may) as Grant[],
    ...(filter !== null && { filter: JSON.parse(filter) as DeviceAccess }),
  }
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

/** The column for the devices that tokens and webhooks reach. */
export const buildFilters = ({ schema }: Kysely<CloudTables>): readonly Compilable[] =>
  (['api_tokens', 'webhooks'] as const).map((table) => schema.alterTable(table).addColumn('filter', 'text'))

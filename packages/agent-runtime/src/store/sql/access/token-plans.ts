import { all, buildOnce, change, compileStatement, first } from '@homeward/kit/sql'
import type { Kysely } from 'kysely'
import type { StoredToken, TokenLimits } from '../../ports/token-store.ts'
import { fromJson } from '../json.ts'
import type { Plan } from '../plan.ts'
import type { RuntimeTables } from '../schema.ts'
import type { AccessTokensTable } from './access-tables.ts'

/** The verbs of `TokenStore` as plans. */
export function createTokenPlans(db: Kysely<RuntimeTables>) {
  const statements = buildOnce(db, createTokenStatements)
  return {
    *insertToken(token: StoredToken, limits: TokenLimits): Plan<boolean | undefined> {
      const { maxTokens, expiredBefore, sealedBefore } = limits
      yield* change(statements.deleteExpired, { expiredBefore })
      yield* change(statements.forgetSealed, { sealedBefore })
      if (yield* first(statements.findById, { id: token.id })) return undefined
      const { count = 0 } = (yield* first(statements.count, {})) ?? {}
      if (count >= maxTokens) return false
      yield* change(statements.insert, toRow(token))
      return true
    },

    *findToken(id: string): Plan<StoredToken | undefined> {
      const row = yield* first(statements.findById, { id })
      return row && toToken(row)
    },

    *findTokenByHash(hash: string): Plan<StoredToken | undefined> {
      const row = yield* first(statements.find, { hash })
      return row && toToken(row)
    },

    *listTokens(): Plan<readonly StoredToken[]> {
      return (yield* all(statements.list, {})).map(toToken)
    },

    *touchToken(id: string, lastUsedAt: string): Plan<void> {
      yield* change(statements.touch, { id, lastUsedAt })
    },

    *deleteToken(id: string): Plan<boolean> {
      return (yield* change(statements.delete, { id })) > 0
    },
  }
}

function createTokenStatements(db: Kysely<RuntimeTables>) {
  return {
    deleteExpired: compileStatement<{ expiredBefore: string }, unknown>('write', ({ expiredBefore }) =>
      db.deleteFrom('access_tokens').where('expires_at', '<', expiredBefore),
    ),
    forgetSealed: compileStatement<{ sealedBefore: string }, unknown>('write', ({ sealedBefore }) =>
      db
        .updateTable('access_tokens')
        .set({ sealed: null })
        .where('sealed', 'is not', null)
        .where('created_at', '<', sealedBefore),
    ),
    count: compileStatement<object, { count: number }>('read', () =>
      db.selectFrom('access_tokens').select((eb) => eb.fn.countAll<number>().as('count')),
    ),
    insert: compileStatement<AccessTokensTable, unknown>('write', (row) =>
      db.insertInto('access_tokens').values({
        id: row.id,
        hash: row.hash,
        created_at: row.created_at,
        expires_at: row.expires_at,
        last_used_at: row.last_used_at,
        sealed: row.sealed,
        token: row.token,
      }),
    ),
    findById: compileStatement<{ id: string }, AccessTokensTable>('read', ({ id }) =>
      db.selectFrom('access_tokens').selectAll().where('id', '=', id),
    ),
    find: compileStatement<{ hash: string }, AccessTokensTable>('read', ({ hash }) =>
      db.selectFrom('access_tokens').selectAll().where('hash', '=', hash),
    ),
    list: compileStatement<object, AccessTokensTable>('read', () =>
      db.selectFrom('access_tokens').selectAll().orderBy('created_at', 'desc').orderBy('id'),
    ),
    touch: compileStatement<{ id: string; lastUsedAt: string }, unknown>('write', ({ id, lastUsedAt }) =>
      db.updateTable('access_tokens').set({ last_used_at: lastUsedAt, sealed: null }).where('id', '=', id),
    ),
    delete: compileStatement<{ id: string }, unknown>('write', ({ id }) =>
      db.deleteFrom('access_tokens').where('id', '=', id),
    ),
  }
}

type TokenJson = Pick<StoredToken, 'name' | 'scopes' | 'agents' | 'userId' | 'allow' | 'requestHash'>

function toRow({
  id,
  hash,
  createdAt,
  expiresAt,
  lastUsedAt,
  sealed,
  ...rest
}: StoredToken): AccessTokensTable {
  const json: TokenJson = rest
  return {
    id,
    hash,
    created_at: createdAt,
    expires_at: expiresAt ?? null,
    last_used_at: lastUsedAt ?? null,
    sealed: sealed ?? null,
    token: JSON.stringify(json),
  }
}

function toToken(row: AccessTokensTable): StoredToken {
  return {
    ...fromJson<TokenJson>(row.token),
    id: row.id,
    hash: row.hash,
    createdAt: row.created_at,
    ...(row.expires_at !== null && { expiresAt: row.expires_at }),
    ...(row.last_used_at !== null && { lastUsedAt: row.last_used_at }),
    ...(row.sealed !== null && { sealed: row.sealed }),
  }
}

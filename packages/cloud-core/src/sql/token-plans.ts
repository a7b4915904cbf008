import type { Kysely } from 'kysely'
import { all, compileStatement, first, limitTo, emit, Undo } from '@homeward/kit/sql'
import type { NewAuditEntry } from '../ports/audit-store.ts'
import type { CreateOutcome, IdempotencyRecord } from '../ports/idempotency-record.ts'
import type { StoredToken, TokenLimits } from '../ports/token-store.ts'
import type { CloudPlanParts } from './cloud-plans.ts'
import type { Plan } from './plan.ts'
import type { CloudTables } from './schema.ts'
import { tokenColumns, toStoredToken, toTokenRow, type TokenRow } from './token-table.ts'

type InsertOutcome = CreateOutcome | { readonly kind: 'too_many' }

/** The verbs of `TokenStore` as plans. */
export function createTokenPlans(db: Kysely<CloudTables>, { claimOnce, appendAudit }: CloudPlanParts) {
  const statements = createTokenStatements(db)
  return {
    *insertToken(
      token: StoredToken,
      { maxTokens, expiredBefore }: TokenLimits,
      once: IdempotencyRecord | undefined,
      audit?: readonly NewAuditEntry[],
    ): Plan<InsertOutcome> {
      const repeated = yield* claimOnce(once)
      if (repeated !== undefined) return repeated
      yield* all(statements.deleteExpired, { owner: token.owner, expiredBefore })
      const held = yield* all(statements.count, { owner: token.owner, limit: maxTokens })
      if (held.length >= maxTokens) throw new Undo<InsertOutcome>({ kind: 'too_many' })
      yield* all(statements.insert, toTokenRow(token))
      yield* appendAudit(audit)
      return { kind: 'created' }
    },

    *findTokenByHash(hash: string): Plan<StoredToken | undefined> {
      const row = yield* first(statements.findByHash, { hash })
      return row === undefined ? undefined : toStoredToken(row)
    },

    *listTokens(owner: string): Plan<readonly StoredToken[]> {
      return (yield* all(statements.list, { owner })).map(toStoredToken)
    },

    *touchToken(id: string, lastUsedAt: string): Plan<void> {
      yield* all(statements.touch, { id, lastUsedAt })
    },

    *deleteToken(
      owner: string,
      id: string,
      audit?: readonly NewAuditEntry[],
    ): Plan<{ readonly hash: string; readonly name: string } | undefined> {
      const deleted = yield* first(statements.delete, { owner, id })
      if (deleted === undefined) return undefined
      yield* appendAudit(audit?.map((entry) => ({ ...entry, name: deleted.name })))
      yield* emit({ topic: 'keys', hashes: [deleted.hash] })
      return deleted
    },
  }
}

function createTokenStatements(db: Kysely<CloudTables>) {
  return {
    insert: compileStatement<TokenRow, unknown>('write', (row) =>
      db.insertInto('api_tokens').values({
        id: row.id,
        owner: row.owner,
        hash: row.hash,
        hint: row.hint,
        name: row.name,
        may: row.may,
        created_at: row.createdAt,
        created_by: row.createdBy,
        expires_at: row.expiresAt,
        last_used_at: row.lastUsedAt,
        filter: row.filter,
      }),
    ),
    count: compileStatement<{ owner: string; limit: number }, { id: string }>('read', ({ owner, limit }) =>
      db.selectFrom('api_tokens').select('id').where('owner', '=', owner).limit(limitTo(limit)),
    ),
    deleteExpired: compileStatement<{ owner: string; expiredBefore: string }, unknown>(
      'write',
      ({ owner, expiredBefore }) =>
        db.deleteFrom('api_tokens').where('owner', '=', owner).where('expires_at', '<', expiredBefore),
    ),
    findByHash: compileStatement<{ hash: string }, TokenRow>('read', ({ hash }) =>
      db.selectFrom('api_tokens').select(tokenColumns).where('hash', '=', hash),
    ),
    list: compileStatement<{ owner: string }, TokenRow>('read', ({ owner }) =>
      db
        .selectFrom('api_tokens')
        .select(tokenColumns)
        .where('owner', '=', owner)
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc'),
    ),
    touch: compileStatement<{ id: string; lastUsedAt: string }, unknown>('write', ({ id, lastUsedAt }) =>
      db.updateTable('api_tokens').set({ last_used_at: lastUsedAt }).where('id', '=', id),
    ),
    delete: compileStatement<{ owner: string; id: string }, { hash: string; name: string }>(
      'write',
      ({ owner, id }) =>
        db
          .deleteFrom('api_tokens')
          .where('id', '=', id)
          .where('owner', '=', owner)
          .returning(['hash', 'name']),
    ),
  }
}

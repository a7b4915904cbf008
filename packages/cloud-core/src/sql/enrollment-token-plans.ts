import { all, compileStatement, first, Undo } from '@homeward/kit/sql'
import type { Kysely } from 'kysely'
import type { NewAuditEntry } from '../ports/audit-store.ts'
import type { StoredEnrollmentToken } from '../ports/enrollment-store.ts'
import type { CreateOutcome, IdempotencyRecord } from '../ports/idempotency-record.ts'
import type { CloudPlanParts } from './cloud-plans.ts'
import { toStoredToken, toTokenRow } from './enrollment-row.ts'
import type { createEnrollmentTokenStatements } from './enrollment-token-statements.ts'
import type { Plan } from './plan.ts'
import type { CloudTables } from './schema.ts'

/** The verbs of `EnrollmentStore` about tokens and secrets, as plans. */
export function createEnrollmentTokenPlans(
  db: Kysely<CloudTables>,
  statements: ReturnType<typeof createEnrollmentTokenStatements>,
  { claimOnce, appendAudit }: CloudPlanParts,
) {
  const secrets = compileSecrets(db)
  return {
    *ensureSecret(name: string, value: string): Plan<string> {
      yield* all(secrets.insert, { name, value })
      return (yield* first(secrets.find, { name }))?.value ?? value
    },

    *insertEnrollmentToken(
      token: StoredEnrollmentToken,
      { maxTokens, revokedBefore }: { maxTokens: number; revokedBefore: string },
      once: IdempotencyRecord | undefined,
      audit?: readonly NewAuditEntry[],
    ): Plan<CreateOutcome | { readonly kind: 'full' }> {
      const { owner } = token
      const counted = yield* first(statements.count, { owner })
      const isFull = (counted?.count ?? 0) >= maxTokens
      const repeated = yield* claimOnce(once)
      if (repeated !== undefined) return repeated
      if (isFull) throw new Undo({ kind: 'full' } as const)
      yield* all(statements.insert, toTokenRow(token))
      yield* all(statements.forget, { owner, revokedBefore })
      yield* appendAudit(audit)
      return { kind: 'created' }
    },

    *findEnrollmentToken(secretHash: string): Plan<StoredEnrollmentToken | undefined> {
      const row = yield* first(statements.find, { secretHash })
      return row === undefined ? undefined : toStoredToken(row)
    },

    *listEnrollmentTokens(owner: string, limit: number): Plan<readonly StoredEnrollmentToken[]> {
      return (yield* all(statements.list, { owner, limit })).map(toStoredToken)
    },

    *revokeEnrollmentToken(
      revocation: { owner: string; id: string; now: string },
      audit?: readonly NewAuditEntry[],
    ): Plan<boolean> {
      if ((yield* first(statements.revoke, revocation)) === undefined) return false
      yield* appendAudit(audit)
      return true
    },
  }
}

function compileSecrets(db: Kysely<CloudTables>) {
  return {
    insert: compileStatement<{ name: string; value: string }, never>('write', ({ name, value }) =>
      db
        .insertInto('secrets')
        .values({ name, value })
        .onConflict((conflict) => conflict.column('name').doNothing()),
    ),
    find: compileStatement<{ name: string }, { value: string }>('read', ({ name }) =>
      db.selectFrom('secrets').select('value').where('name', '=', name),
    ),
  }
}

import type { Kysely } from 'kysely'
import { all, compileStatement, each, first, limitTo } from '@homeward/kit/sql'
import type { CreateOutcome, IdempotencyRecord } from '../ports/idempotency-record.ts'
import type { Plan } from './plan.ts'
import type { RowLocks } from './row-locks.ts'
import type { CloudTables } from './schema.ts'

const sweepAtOnce = 16

/**
 * Records creations that must happen once. The plan gives the earlier row when the creation is a repeat, and must be
 * undone together with a creation that fails.
 */
export function createCreationPlans(db: Kysely<CloudTables>, locks: RowLocks) {
  const claim = compileStatement<IdempotencyRecord, { scope: string }>('write', (once) =>
    db
      .insertInto('creations')
      .values({
        scope: once.scope,
        key_hash: once.keyHash,
        fingerprint: once.fingerprint,
        reply: once.reply,
        created_at: once.createdAt,
        expires_at: once.expiresAt,
      })
      .onConflict((conflict) =>
        conflict
          .columns(['scope', 'key_hash'])
          .doUpdateSet((eb) => ({
            fingerprint: eb.ref('excluded.fingerprint'),
            reply: eb.ref('excluded.reply'),
            created_at: eb.ref('excluded.created_at'),
            expires_at: eb.ref('excluded.expires_at'),
          }))
          .whereRef('creations.expires_at', '<=', 'excluded.created_at'),
      )
      .returning('scope'),
  )

  const find = compileStatement<
    Pick<IdempotencyRecord, 'scope' | 'keyHash'>,
    { fingerprint: string; reply: string }
  >('read', ({ scope, keyHash }) =>
    db
      .selectFrom('creations')
      .select(['fingerprint', 'reply'])
      .where('scope', '=', scope)
      .where('key_hash', '=', keyHash),
  )

  const findFresh = compileStatement<
    Pick<IdempotencyRecord, 'scope' | 'keyHash'> & { now: string },
    { fingerprint: string; reply: string }
  >('read', ({ scope, keyHash, now }) =>
    db
      .selectFrom('creations')
      .select(['fingerprint', 'reply'])
      .where('scope', '=', scope)
      .where('key_hash', '=', keyHash)
      .where('expires_at', '>', now),
  )

  // More than one expired row goes for each that comes, so the table stays bounded.
  const findExpired = compileStatement<{ now: string }, Pick<IdempotencyRecord, 'scope' | 'keyHash'>>(
    'read',
    ({ now }) =>
      locks.whereFree(
        db
          .selectFrom('creations')
          .select(['scope', 'key_hash as keyHash'])
          .where('expires_at', '<=', now)
          .orderBy('expires_at')
          .limit(limitTo(sweepAtOnce)),
      ),
  )
  const forget = compileStatement<Pick<IdempotencyRecord, 'scope' | 'keyHash'>, never>(
    'write',
    ({ scope, keyHash }) =>
      db.deleteFrom('creations').where('scope', '=', scope).where('key_hash', '=', keyHash),
  )

  function* findRepeat(once: IdempotencyRecord): Plan<CreateOutcome | undefined> {
    const found = yield* first(findFresh, { scope: once.scope, keyHash: once.keyHash, now: once.createdAt })
    return found && { kind: 'repeated', ...found }
  }

  function* claimOnce(once: IdempotencyRecord | undefined): Plan<CreateOutcome | undefined> {
    if (once === undefined) return undefined
    if ((yield* first(claim, once)) === undefined) {
      const repeated = yield* first(find, once)
      if (repeated !== undefined) return { kind: 'repeated', ...repeated }
    }
    const expired = yield* all(findExpired, { now: once.createdAt })
    if (expired.length > 0) yield* each(forget, expired)
    return undefined
  }
  return { claimOnce, findRepeat }
}

/** See {@link createCreationPlans}. */
export type ClaimOnce = ReturnType<typeof createCreationPlans>['claimOnce']
/** See {@link createCreationPlans}. */
export type FindRepeat = ReturnType<typeof createCreationPlans>['findRepeat']

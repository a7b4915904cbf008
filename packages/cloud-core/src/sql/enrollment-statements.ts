import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { compileStatement, limitTo } from '@homeward/kit/sql'
import type { Decided, EnrollmentRow } from './enrollment-row.ts'
import { enrollmentColumns } from './enrollment-schema.ts'
import type { RowLocks } from './row-locks.ts'
import type { CloudTables } from './schema.ts'

interface ById {
  id: string
}

/** Statements on enrollments. */
export function createEnrollmentStatements(db: Kysely<CloudTables>, locks: RowLocks) {
  return { insert: compileInsert(db), ...readStatements(db, locks), ...writeStatements(db, locks) }
}

/** Gives the row that was added or started again; none when there is one already. */
function compileInsert(db: Kysely<CloudTables>) {
  return compileStatement<EnrollmentRow, EnrollmentRow>('write', (row) =>
    db
      .insertInto('enrollments')
      .values({
        id: row.id,
        key_hash: row.keyHash,
        key_hint: row.keyHint,
        code_hash: row.codeHash,
        status: row.status,
        name: row.name,
        type: row.type,
        platform: row.platform,
        metadata: row.metadata,
        address: row.address,
        created_at: row.createdAt,
        expires_at: row.expiresAt,
        purge_at: row.purgeAt,
        owner: row.owner,
        device_id: row.deviceId,
        token_id: row.tokenId,
      })
      .onConflict((conflict) =>
        conflict
          .column('key_hash')
          .doUpdateSet((eb) => ({
            key_hint: eb.ref('excluded.key_hint'),
            code_hash: eb.ref('excluded.code_hash'),
            name: eb.ref('excluded.name'),
            type: eb.ref('excluded.type'),
            platform: eb.ref('excluded.platform'),
            metadata: eb.ref('excluded.metadata'),
            address: eb.ref('excluded.address'),
            created_at: eb.ref('excluded.created_at'),
            expires_at: eb.ref('excluded.expires_at'),
            purge_at: eb.ref('excluded.purge_at'),
            owner: eb.ref('excluded.owner'),
            token_id: eb.ref('excluded.token_id'),
          }))
          .where('enrollments.status', '=', sql.lit('pending'))
          .whereRef('enrollments.expires_at', '<=', 'excluded.created_at'),
      )
      .returning(enrollmentColumns),
  )
}

function readStatements(db: Kysely<CloudTables>, locks: RowLocks) {
  const rows = () => db.selectFrom('enrollments').select(enrollmentColumns)
  const pending = sql.lit<'pending'>('pending')
  return {
    find: compileStatement<ById, EnrollmentRow>('read', ({ id }) => rows().where('id', '=', id)),
    findToDecide: compileStatement<ById, EnrollmentRow>('read', ({ id }) =>
      locks.toChange(rows().where('id', '=', id)),
    ),
    findByKey: compileStatement<{ keyHash: string }, EnrollmentRow>('read', ({ keyHash }) =>
      rows().where('key_hash', '=', keyHash),
    ),
    findByKeyToDecide: compileStatement<{ keyHash: string }, EnrollmentRow>('read', ({ keyHash }) =>
      locks.toChange(rows().where('key_hash', '=', keyHash)),
    ),
    findByCode: compileStatement<{ codeHash: string; now: string }, EnrollmentRow>(
      'read',
      ({ codeHash, now }) =>
        rows().where('code_hash', '=', codeHash).where('status', '=', pending).where('expires_at', '>', now),
    ),
    count: compileStatement<{ owner: string | null; now: string }, { count: number }>(
      'read',
      ({ owner, now }) =>
        db
          .selectFrom('enrollments')
          .select((eb) => eb.fn.countAll<number>().as('count'))
          .where('status', '=', pending)
          .where('expires_at', '>', now)
          .where('owner', 'is not distinct from', owner),
    ),
  }
}

function writeStatements(db: Kysely<CloudTables>, locks: RowLocks) {
  return {
    decide: compileStatement<ById & Decided, EnrollmentRow>('write', (row) =>
      db
        .updateTable('enrollments')
        .set({
          status: row.status,
          owner: row.owner,
          device_id: row.deviceId,
          code_hash: row.codeHash,
          purge_at: row.purgeAt,
        })
        .where('id', '=', row.id)
        .returning(enrollmentColumns),
    ),
    attach: compileStatement<ById & { owner: string; tokenId: string }, EnrollmentRow>('write', (row) =>
      db
        .updateTable('enrollments')
        .set({ owner: row.owner, token_id: row.tokenId })
        .where('id', '=', row.id)
        .returning(enrollmentColumns),
    ),
    findPurged: compileStatement<{ now: string; limit: number }, ById>('read', ({ now, limit }) =>
      locks.whereFree(
        db
          .selectFrom('enrollments')
          .select('id')
          .where('purge_at', '<=', now)
          .orderBy('purge_at')
          .limit(limitTo(limit)),
      ),
    ),
    delete: compileStatement<ById, never>('write', ({ id }) =>
      db.deleteFrom('enrollments').where('id', '=', id),
    ),
  }
}

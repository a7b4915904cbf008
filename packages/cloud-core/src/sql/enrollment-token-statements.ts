import type { Kysely } from 'kysely'
import { compileStatement, limitTo } from '@homeward/kit/sql'
import type { EnrollmentTokenRow } from './enrollment-row.ts'
import { enrollmentTokenColumns } from './enrollment-schema.ts'
import type { RowLocks } from './row-locks.ts'
import type { CloudTables } from './schema.ts'

interface ById {
  id: string
}

/** Statements on enrollment tokens. */
export function createEnrollmentTokenStatements(db: Kysely<CloudTables>, locks: RowLocks) {
  return { insert: compileInsert(db), ...readStatements(db, locks), ...writeStatements(db) }
}

function compileInsert(db: Kysely<CloudTables>) {
  return compileStatement<EnrollmentTokenRow, unknown>('write', (row) =>
    db.insertInto('enrollment_tokens').values({
      id: row.id,
      owner: row.owner,
      secret_hash: row.secretHash,
      label: row.label,
      max_devices: row.maxDevices,
      expires_at: row.expiresAt,
      labels: row.labels,
      approval: row.approval,
      used: row.used,
      last_used_at: row.lastUsedAt,
      last_device_id: row.lastDeviceId,
      created_at: row.createdAt,
      revoked_at: row.revokedAt,
    }),
  )
}

function readStatements(db: Kysely<CloudTables>, locks: RowLocks) {
  const rows = () => db.selectFrom('enrollment_tokens').select(enrollmentTokenColumns)
  return {
    find: compileStatement<{ secretHash: string }, EnrollmentTokenRow>('read', ({ secretHash }) =>
      rows().where('secret_hash', '=', secretHash),
    ),
    findToUse: compileStatement<{ secretHash: string }, EnrollmentTokenRow>('read', ({ secretHash }) =>
      locks.toChange(rows().where('secret_hash', '=', secretHash)),
    ),
    findByIdToUse: compileStatement<ById, EnrollmentTokenRow>('read', ({ id }) =>
      locks.toChange(rows().where('id', '=', id)),
    ),
    list: compileStatement<{ owner: string; limit: number }, EnrollmentTokenRow>('read', ({ owner, limit }) =>
      rows()
        .where('owner', '=', owner)
        .where('revoked_at', 'is', null)
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limitTo(limit)),
    ),
    count: compileStatement<{ owner: string }, { count: number }>('read', ({ owner }) =>
      db
        .selectFrom('enrollment_tokens')
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .where('owner', '=', owner)
        .where('revoked_at', 'is', null),
    ),
  }
}

function writeStatements(db: Kysely<CloudTables>) {
  return {
    use: compileStatement<ById & { used: number; lastUsedAt: string; lastDeviceId: string }, never>(
      'write',
      (row) =>
        db
          .updateTable('enrollment_tokens')
          .set({ used: row.used, last_used_at: row.lastUsedAt, last_device_id: row.lastDeviceId })
          .where('id', '=', row.id),
    ),
    revoke: compileStatement<ById & { owner: string; now: string }, ById>('write', ({ id, owner, now }) =>
      db
        .updateTable('enrollment_tokens')
        .set({ revoked_at: now })
        .where('id', '=', id)
        .where('owner', '=', owner)
        .where('revoked_at', 'is', null)
        .returning('id'),
    ),
    forget: compileStatement<{ owner: string; revokedBefore: string }, never>(
      'write',
      ({ owner, revokedBefore }) =>
        db.deleteFrom('enrollment_tokens').where('owner', '=', owner).where('revoked_at', '<', revokedBefore),
    ),
  }
}

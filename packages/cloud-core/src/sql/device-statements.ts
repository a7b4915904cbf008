import type { Kysely } from 'kysely'
import { compileStatement, limitTo } from '@homeward/kit/sql'
import type { DeviceRow, KeyColumns } from './device-row.ts'
import type { RowLocks } from './row-locks.ts'
import type { CloudTables } from './schema.ts'
import { deviceColumns } from './schema.ts'

interface ById {
  deviceId: string
}
interface ByOwner extends ById {
  owner: string
}
interface ListArgs {
  owner: string
  createdAt: string
  id: string
  limit: number
}

/** Statements on devices and their keys. */
export function createDeviceStatements(db: Kysely<CloudTables>, locks: RowLocks) {
  return { ...readStatements(db), ...writeStatements(db, locks), ...keyStatements(db, locks) }
}

function readStatements(db: Kysely<CloudTables>) {
  const listed = (owner: string, limit: number) =>
    db
      .selectFrom('devices')
      .select(deviceColumns)
      .where('owner', '=', owner)
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(limitTo(limit))
  return {
    findOwn: compileStatement<ByOwner, DeviceRow>('read', ({ owner, deviceId }) =>
      db.selectFrom('devices').select(deviceColumns).where('id', '=', deviceId).where('owner', '=', owner),
    ),
    findByKeyHash: compileStatement<{ hash: string }, DeviceRow>('read', ({ hash }) =>
      db
        .selectFrom('devices')
        .select(deviceColumns)
        .where((eb) => eb.or([eb('key_hash', '=', hash), eb('previous_hash', '=', hash)])),
    ),
    listNewest: compileStatement<ListArgs, DeviceRow>('read', ({ owner, limit }) => listed(owner, limit)),
    listAfter: compileStatement<ListArgs, DeviceRow>('read', ({ owner, createdAt, id, limit }) =>
      listed(owner, limit).where((eb) => eb(eb.refTuple('created_at', 'id'), '<', eb.tuple(createdAt, id))),
    ),
  }
}

function writeStatements(db: Kysely<CloudTables>, locks: RowLocks) {
  return {
    insert: compileStatement<DeviceRow, unknown>('write', (row) =>
      db.insertInto('devices').values({
        id: row.id,
        owner: row.owner,
        name: row.name,
        type: row.type,
        platform: row.platform,
        metadata: row.metadata,
        last_seen_at: row.lastSeenAt,
        created_at: row.createdAt,
        key_hash: row.keyHash,
        key_hint: row.keyHint,
        key_sealed: row.keySealed,
        previous_hash: row.previousHash,
        previous_until: row.previousUntil,
      }),
    ),
    findMetadata: compileStatement<ById, { deviceId: string; metadata: string }>('read', ({ deviceId }) =>
      locks.toChange(
        db.selectFrom('devices').select(['id as deviceId', 'metadata']).where('id', '=', deviceId),
      ),
    ),
    setMetadata: compileStatement<ById & { metadata: string }, unknown>('write', ({ deviceId, metadata }) =>
      db.updateTable('devices').set({ metadata }).where('id', '=', deviceId),
    ),
    findToDelete: compileStatement<ByOwner, Pick<DeviceRow, 'keyHash' | 'previousHash'>>(
      'read',
      ({ owner, deviceId }) =>
        locks.toDelete(
          db
            .selectFrom('devices')
            .select(['key_hash as keyHash', 'previous_hash as previousHash'])
            .where('id', '=', deviceId)
            .where('owner', '=', owner),
        ),
    ),
    deleteUploads: compileStatement<ById, { attemptBlobId: string | null; fileBlobId: string | null }>(
      'write',
      ({ deviceId }) =>
        db
          .deleteFrom('uploads')
          .where('device_id', '=', deviceId)
          .returning(['attempt_blob_id as attemptBlobId', 'file_blob_id as fileBlobId']),
    ),
    delete: compileStatement<ById, unknown>('write', ({ deviceId }) =>
      db.deleteFrom('devices').where('id', '=', deviceId),
    ),
  }
}

function keyStatements(db: Kysely<CloudTables>, locks: RowLocks) {
  return {
    findToRotate: compileStatement<ByOwner, DeviceRow>('read', ({ owner, deviceId }) =>
      locks.toChange(
        db.selectFrom('devices').select(deviceColumns).where('id', '=', deviceId).where('owner', '=', owner),
      ),
    ),
    setKeys: compileStatement<ById & KeyColumns, unknown>('write', (keys) =>
      db
        .updateTable('devices')
        .set({
          key_hash: keys.keyHash,
          key_hint: keys.keyHint,
          key_sealed: keys.keySealed,
          previous_hash: keys.previousHash,
          previous_until: keys.previousUntil,
        })
        .where('id', '=', keys.deviceId),
    ),
    findPreviousHash: compileStatement<ById & { currentHash: string }, { previousHash: string | null }>(
      'read',
      ({ deviceId, currentHash }) =>
        locks.toChange(
          db
            .selectFrom('devices')
            .select('previous_hash as previousHash')
            .where('id', '=', deviceId)
            .where('key_hash', '=', currentHash),
        ),
    ),
    clearPreviousKey: compileStatement<ById, unknown>('write', ({ deviceId }) =>
      db.updateTable('devices').set({ previous_hash: null, previous_until: null }).where('id', '=', deviceId),
    ),
  }
}

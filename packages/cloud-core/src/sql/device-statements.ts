import type { Kysely } from 'kysely'
import { compileStatement } from '@homeward/kit/sql'
import type { ChangedColumns, DeviceRow, KeyColumns } from './device-row.ts'
import type { RowLocks } from './row-locks.ts'
import type { CloudTables } from './schema.ts'
import { deviceColumns } from './schema.ts'

interface ById {
  deviceId: string
}
interface ByOwner extends ById {
  owner: string
}
/** A label of a device, with the place of the device in lists. */
interface LabelRow extends ByOwner {
  label: string
  createdAt: string
}

/** Statements on devices and their keys. */
export function createDeviceStatements(db: Kysely<CloudTables>, locks: RowLocks) {
  return { ...readStatements(db), ...writeStatements(db, locks), ...keyStatements(db, locks) }
}

/** See {@link createDeviceStatements}. */
export type DeviceStatements = ReturnType<typeof createDeviceStatements>

function readStatements(db: Kysely<CloudTables>) {
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
  }
}

function writeStatements(db: Kysely<CloudTables>, locks: RowLocks) {
  return {
    insert: compileStatement<DeviceRow & { searchText: string }, unknown>('write', (row) =>
      db.insertInto('devices').values({
        id: row.id,
        owner: row.owner,
        name: row.name,
        type: row.type,
        platform: row.platform,
        metadata: row.metadata,
        created_at: row.createdAt,
        key_hash: row.keyHash,
        key_hint: row.keyHint,
        key_sealed: row.keySealed,
        previous_hash: row.previousHash,
        previous_until: row.previousUntil,
        labels: row.labels,
        search_text: row.searchText,
      }),
    ),
    findMetadata: compileStatement<ById, Pick<DeviceRow, 'id' | 'name' | 'metadata'>>(
      'read',
      ({ deviceId }) =>
        locks.toChange(
          db.selectFrom('devices').select(['id', 'name', 'metadata']).where('id', '=', deviceId),
        ),
    ),
    setMetadata: compileStatement<ById & { metadata: string; searchText: string }, unknown>(
      'write',
      ({ deviceId, metadata, searchText }) =>
        db.updateTable('devices').set({ metadata, search_text: searchText }).where('id', '=', deviceId),
    ),
    setChanged: compileStatement<ById & ChangedColumns & { searchText: string }, unknown>(
      'write',
      (changed) =>
        db
          .updateTable('devices')
          .set({
            name: changed.name,
            type: changed.type,
            labels: changed.labels,
            search_text: changed.searchText,
          })
          .where('id', '=', changed.deviceId),
    ),
    addLabel: compileStatement<LabelRow, unknown>('write', (row) =>
      db.insertInto('device_labels').values({
        owner: row.owner,
        label: row.label,
        created_at: row.createdAt,
        device_id: row.deviceId,
      }),
    ),
    deleteLabels: compileStatement<ById, unknown>('write', ({ deviceId }) =>
      db.deleteFrom('device_labels').where('device_id', '=', deviceId),
    ),
    findToDelete: compileStatement<ByOwner, Pick<DeviceRow, 'keyHash' | 'previousHash' | 'catalogBlobId'>>(
      'read',
      ({ owner, deviceId }) =>
        locks.toDelete(
          db
            .selectFrom('devices')
            .select([
              'key_hash as keyHash',
              'previous_hash as previousHash',
              'catalog_blob_id as catalogBlobId',
            ])
            .where('id', '=', deviceId)
            .where('owner', '=', owner),
        ),
    ),
    delete: compileStatement<ById, unknown>('write', ({ deviceId }) =>
      db.deleteFrom('devices').where('id', '=', deviceId),
    ),
  }
}

function keyStatements(db: Kysely<CloudTables>, locks: RowLocks) {
  return {
    findToChange: compileStatement<ByOwner, DeviceRow>('read', ({ owner, deviceId }) =>
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

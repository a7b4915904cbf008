import type { ExpiredWork } from '../ports/search-store.ts'
import type { UploadStatus } from '@homeward/contract/device-cloud'
import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { compileStatement, limitTo, type Statement } from '@homeward/kit/sql'
import { expiredUploadError } from '../uploads/expiry.ts'
import type { LeaseTimes } from '../uploads/lease-times.ts'
import type { ListArgs, ListShape, StatusRange } from './list-ranges.ts'
import { newestOfRanges } from './list-ranges.ts'
import type { RowLocks } from './row-locks.ts'
import type { CloudTables } from './schema.ts'
import { uploadColumns } from './schema.ts'
import { isFree, isLeased } from './upload-leases.ts'
import type { UploadEnd, UploadRow } from './upload-row.ts'

/** An upload request with the name of its device. */
type NamedUploadRow = UploadRow & { deviceName: string }

type EndArgs = UploadEnd & LeaseTimes & { id: string }

// A literal, not a parameter: that is how the query planner sees that the partial index will do.
const pending = sql.lit<'pending'>('pending')

/** Statements on upload requests. */
export function createUploadStatements(db: Kysely<CloudTables>, locks: RowLocks) {
  return { ...rowStatements(db, locks), ...deviceStatements(db, locks), ...endStatements(db) }
}

function rowStatements(db: Kysely<CloudTables>, locks: RowLocks) {
  return {
    insert: compileStatement<UploadRow, unknown>('write', (row) =>
      db.insertInto('uploads').values({
        id: row.id,
        device_id: row.deviceId,
        group_id: row.groupId,
        owner: row.owner,
        file_path: row.filePath,
        destination: row.destination,
        actor: row.actor,
        created_at: row.createdAt,
        expires_at: row.expiresAt,
        status: row.status,
        error: row.error,
        completed_at: row.completedAt,
      }),
    ),
    findOnDevice: compileStatement<{ id: string; deviceId: string }, UploadRow>('read', ({ id, deviceId }) =>
      db.selectFrom('uploads').select(uploadColumns).where('id', '=', id).where('device_id', '=', deviceId),
    ),
    findOwn: compileStatement<{ id: string; owner: string }, UploadRow>('read', ({ id, owner }) =>
      db
        .selectFrom('uploads')
        .select(uploadColumns)
        .where('id', '=', id)
        .where('owner', '=', owner)
        .where(isOfOwnDevice(owner)),
    ),
    findByBlob: compileStatement<{ blobId: string; owner: string }, UploadRow>('read', ({ blobId, owner }) =>
      db
        .selectFrom('uploads')
        .select(uploadColumns)
        .where('file_blob_id', '=', blobId)
        .where('owner', '=', owner)
        .where(isOfOwnDevice(owner)),
    ),
    findBlob: compileStatement<{ blobId: string }, { blobId: string }>('read', ({ blobId }) =>
      db
        .selectFrom('uploads')
        .select('file_blob_id as blobId')
        .where('file_blob_id', '=', blobId)
        .unionAll(
          db.selectFrom('searches').select('results_blob_id as blobId').where('results_blob_id', '=', blobId),
        )
        .unionAll(
          db.selectFrom('devices').select('catalog_blob_id as blobId').where('catalog_blob_id', '=', blobId),
        )
        .$narrowType<{
          blobId: string
        }>(),
    ),
    findExpired: compileStatement<LeaseTimes & { limit: number }, { id: string }>(
      'read',
      ({ now, latestLease, limit }) =>
        locks.whereFree(
          db
            .selectFrom('uploads')
            .select('id')
            .where('status', '=', pending)
            .where('expires_at', '<=', now)
            .where(isFree({ now, latestLease }))
            .orderBy('expires_at')
            .limit(limitTo(limit)),
        ),
    ),
    expire: compileStatement<{ id: string }, ExpiredWork['uploads'][number]>('write', ({ id }) =>
      db
        .updateTable('uploads')
        .set((eb) => ({ status: 'failed', error: expiredUploadError, completed_at: eb.ref('expires_at') }))
        .where('id', '=', id)
        .returning(['id', 'device_id as deviceId', 'owner']),
    ),
    /** An upload that has a lease expires with it: its time may be over. */
    findNext: compileStatement<object, { at: string | null }>('read', () =>
      db
        .selectFrom('uploads')
        .select((eb) => eb.fn.min('expires_at').as('at'))
        .where('status', '=', pending),
    ),
  }
}

function deviceStatements(db: Kysely<CloudTables>, locks: RowLocks) {
  return {
    findToLease: compileStatement<{ id: string; deviceId: string }, UploadRow>('read', ({ id, deviceId }) =>
      locks.toChange(
        db.selectFrom('uploads').select(uploadColumns).where('id', '=', id).where('device_id', '=', deviceId),
      ),
    ),
    lockDevice: compileStatement<{ deviceId: string }, unknown>('read', ({ deviceId }) =>
      locks.toChange(db.selectFrom('devices').select('id').where('id', '=', deviceId)),
    ),
    findLeased: compileStatement<LeaseTimes & { deviceId: string; limit: number }, { id: string }>(
      'read',
      ({ deviceId, now, latestLease, limit }) =>
        db
          .selectFrom('uploads')
          .select('id')
          .where('device_id', '=', deviceId)
          .where('status', '=', pending)
          .where(isLeased({ now, latestLease }))
          .limit(limitTo(limit)),
    ),
    listPending: compileStatement<
      LeaseTimes & { deviceId: string; limit: number },
      Pick<UploadRow, 'id' | 'filePath' | 'destination' | 'actor' | 'createdAt'>
    >('read', ({ deviceId, now, latestLease, limit }) =>
      db
        .selectFrom('uploads')
        .select(['id', 'file_path as filePath', 'destination', 'actor', 'created_at as createdAt'])
        .where('device_id', '=', deviceId)
        .where('status', '=', pending)
        .where('expires_at', '>', now)
        .where(isFree({ now, latestLease }))
        .orderBy('created_at')
        .orderBy('id')
        .limit(limitTo(limit)),
    ),
    lease: compileStatement<{ id: string; blobId: string; leaseUntil: string }, unknown>(
      'write',
      ({ id, blobId, leaseUntil }) =>
        db
          .updateTable('uploads')
          .set({ attempt_blob_id: blobId, lease_until: leaseUntil })
          .where('id', '=', id)
          .where('status', '=', pending),
    ),
  }
}

function endStatements(db: Kysely<CloudTables>) {
  const ending = (args: EndArgs) =>
    db
      .updateTable('uploads')
      .set({
        status: args.status,
        file_blob_id: args.fileBlobId,
        file_name: args.fileName,
        file_size: args.fileSize,
        file_links: args.fileLinks,
        error: args.error,
        completed_at: args.completedAt,
      })
      .where('id', '=', args.id)
      .where('status', '=', pending)
      .where((eb) => eb.or([eb('expires_at', '>', args.now), isLeased(args)]))
      .returning('device_id as deviceId')
  return {
    settle: compileStatement<EndArgs & { deviceId: string }, { deviceId: string }>('write', (args) =>
      ending(args).where('device_id', '=', args.deviceId),
    ),
    cancel: compileStatement<EndArgs & { owner: string }, { deviceId: string }>('write', (args) =>
      ending(args).where('owner', '=', args.owner).where(isOfOwnDevice(args.owner)),
    ),
  }
}

/** Whether its device still belongs to the owner: of one that was deleted just now rows may be left. */
function isOfOwnDevice(owner: string) {
  return sql<boolean>`(select devices.owner from devices where devices.id = uploads.device_id) = ${owner}`
}

/** The listing of one shape. */
export function compileUploadList(
  db: Kysely<CloudTables>,
  shape: ListShape,
  status: UploadStatus | undefined,
): Statement<ListArgs, NamedUploadRow> {
  return compileStatement<ListArgs, NamedUploadRow>('read', (slots) =>
    db
      .selectFrom(newestOfRanges('uploads', shape, uploadRanges(status, slots), slots).as('newest'))
      .innerJoin('uploads', 'uploads.id', 'newest.id')
      .innerJoin('devices', 'devices.id', 'uploads.device_id')
      .select([...uploadColumns, 'devices.name as deviceName'])
      .where('devices.owner', '=', slots.owner)
      .orderBy('uploads.created_at', 'desc')
      .orderBy('uploads.id', 'desc'),
  )
}

function uploadRanges(
  status: UploadStatus | undefined,
  { now, latestLease }: ListArgs,
): readonly StatusRange[] {
  const open = 'pending'
  const free = isFree({ now, latestLease })
  switch (status) {
    case undefined:
      return [{}]
    case 'pending':
      return [{ status: open, condition: sql`expires_at > ${now} and ${free}` }]
    case 'uploading':
      return [{ status: open, condition: isLeased({ now, latestLease }) }]
    case 'failed':
      return [{ status }, { status: open, condition: sql`expires_at <= ${now} and ${free}` }]
    case 'completed':
    case 'canceled':
      break
  }
  return [{ status }]
}

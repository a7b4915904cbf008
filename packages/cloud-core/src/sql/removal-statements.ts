import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { all, compileStatement, each, limitTo } from '@homeward/kit/sql'
import type { Plan } from './plan.ts'
import { nobody } from './retention-tables.ts'
import type { RowLocks } from './row-locks.ts'
import type { CloudTables } from './schema.ts'

/** Files that a removed row named. */
export interface FilesOfRow {
  readonly resultsBlobId?: string | null
  readonly attemptBlobId?: string | null
  readonly fileBlobId?: string | null
  readonly catalogBlobId?: string | null
}

/** The same, and whose row it was. */
interface FilesOfWork extends FilesOfRow {
  readonly deviceId: string
}

/** The files of rows, each once. */
export function toBlobIds(rows: readonly FilesOfRow[]): readonly string[] {
  const ids = rows.flatMap((row) => [row.attemptBlobId, row.fileBlobId, row.resultsBlobId, row.catalogBlobId])
  return [...new Set(ids.filter((id) => id !== null && id !== undefined))]
}

/** The devices of which there are as many rows as were asked for: they may have more. */
export function deviceIdsOf(rows: readonly FilesOfWork[], asked: number): readonly string[] {
  const counts = new Map<string, number>()
  for (const { deviceId } of rows) counts.set(deviceId, (counts.get(deviceId) ?? 0) + 1)
  return [...counts].flatMap(([deviceId, count]) => (count >= asked ? [deviceId] : []))
}

/** Files whose rows are gone: noting, listing and forgetting them. */
export function compileBlobRemovals(db: Kysely<CloudTables>) {
  const add = compileStatement<{ blobId: string }, unknown>('write', ({ blobId }) =>
    db
      .insertInto('blob_removals')
      .values({ blob_id: blobId })
      .onConflict((conflict) => conflict.doNothing()),
  )
  const remove = compileStatement<{ blobId: string }, unknown>('write', ({ blobId }) =>
    db.deleteFrom('blob_removals').where('blob_id', '=', blobId),
  )
  const list = compileStatement<{ limit: number }, { blobId: string }>('read', ({ limit }) =>
    db.selectFrom('blob_removals').select('blob_id as blobId').limit(limitTo(limit)),
  )
  const toRows = (blobIds: readonly string[]) => blobIds.map((blobId) => ({ blobId }))
  return {
    *note(blobIds: readonly string[]): Plan<void> {
      if (blobIds.length > 0) yield* each(add, toRows(blobIds))
    },
    *confirm(blobIds: readonly string[]): Plan<void> {
      if (blobIds.length > 0) yield* each(remove, toRows(blobIds))
    },
    *list(limit: number): Plan<readonly string[]> {
      return (yield* all(list, { limit })).map(({ blobId }) => blobId)
    },
  }
}

interface SomeArgs {
  value: string
  limit: number
}

/** Deletes some searches or upload requests of a device or of an owner, and gives their files. */
export function compileDeleteWork(db: Kysely<CloudTables>, locks: RowLocks, by: 'device_id' | 'owner') {
  return {
    searches: compileStatement<SomeArgs, FilesOfWork>('write', ({ value, limit }) =>
      db
        .deleteFrom('searches')
        .where('id', 'in', (eb) =>
          locks.toDelete(eb.selectFrom('searches').select('id').where(by, '=', value).limit(limitTo(limit))),
        )
        .returning(['device_id as deviceId', 'results_blob_id as resultsBlobId']),
    ),
    uploads: compileStatement<SomeArgs, FilesOfWork>('write', ({ value, limit }) =>
      db
        .deleteFrom('uploads')
        .where('id', 'in', (eb) =>
          locks.toDelete(eb.selectFrom('uploads').select('id').where(by, '=', value).limit(limitTo(limit))),
        )
        .returning([
          'device_id as deviceId',
          'attempt_blob_id as attemptBlobId',
          'file_blob_id as fileBlobId',
        ]),
    ),
  }
}

/** Deletes one webhook of an owner: its deliveries go with it. */
export function compileDeleteWebhook(db: Kysely<CloudTables>) {
  return compileStatement<{ owner: string }, { id: string }>('write', ({ owner }) =>
    db
      .deleteFrom('webhooks')
      .where('id', 'in', (eb) =>
        eb.selectFrom('webhooks').select('id').where('owner', '=', owner).limit(sql.lit(1)),
      )
      .returning('id'),
  )
}

/**
 * Takes a device away from its owner at once, whatever is left of it: no list of a user shows it, no key finds it, it may
 * enroll again, and nothing tells any more what it was.
 */
export function compileDisown(db: Kysely<CloudTables>) {
  const ofDevice = (table: 'device_labels' | 'enrollments') =>
    compileStatement<{ deviceId: string }, unknown>('write', ({ deviceId }) =>
      db.deleteFrom(table).where('device_id', '=', deviceId),
    )
  const disown = compileStatement<{ deviceId: string }, unknown>('write', ({ deviceId }) =>
    db
      .updateTable('devices')
      .set({
        owner: sql.lit(nobody),
        name: sql.lit(''),
        metadata: sql.lit('{}'),
        labels: sql.lit('[]'),
        search_text: sql.lit(''),
        key_hash: sql<string>`'deleted:' || id`,
        key_hint: sql.lit(''),
        key_sealed: null,
        previous_hash: null,
        previous_until: null,
        catalog_blob_id: null,
        catalog_as_of: null,
        catalog_files: null,
        catalog_bytes: null,
      })
      .where('id', '=', deviceId),
  )
  return [disown, ofDevice('device_labels'), ofDevice('enrollments')]
}

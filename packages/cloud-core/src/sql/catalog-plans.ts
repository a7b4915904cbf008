import { type Compilable, type Kysely, sql } from 'kysely'
import { all, compileStatement, each, first, limitTo } from '@homeward/kit/sql'
import type { NewAuditEntry } from '../ports/audit-store.ts'
import type { NewCatalog, ReplaceCatalogOutcome } from '../ports/catalog-store.ts'
import type { CloudPlanParts } from './cloud-plans.ts'
import type { Plan } from './plan.ts'
import { compileBlobRemovals } from './removal-statements.ts'
import { nobody } from './retention-tables.ts'
import type { RowLocks } from './row-locks.ts'
import type { CloudTables } from './schema.ts'

interface HeldCatalog {
  readonly deviceId: string
  readonly blobId: string | null
}

/** The verbs of `CatalogStore` as plans. */
export function createCatalogPlans(
  db: Kysely<CloudTables>,
  { dialect, appendAudit }: Pick<CloudPlanParts, 'dialect' | 'appendAudit'>,
) {
  const statements = compileStatements(db, dialect.locks)
  const removals = compileBlobRemovals(db)

  /** Takes catalogs from their devices, and notes their files. */
  function* clear(rows: readonly HeldCatalog[]): Plan<readonly string[]> {
    if (rows.length > 0) yield* each(statements.clear, rows)
    const blobIds = rows.flatMap(({ blobId }) => blobId ?? [])
    yield* removals.note(blobIds)
    return blobIds
  }

  return {
    *readCatalogRevision(deviceId: string): Plan<number | undefined> {
      return (yield* first(statements.readRevision, { deviceId }))?.revision
    },

    *replaceCatalog({ deviceId, revision, catalog }: NewCatalog): Plan<ReplaceCatalogOutcome> {
      const held = yield* first(statements.findToReplace, { deviceId })
      if (held === undefined) return { kind: 'unknown' }
      if (held.revision !== revision) return { kind: 'changed' }
      const blobIds = yield* clear([held])
      yield* all(statements.set, { deviceId, ...catalog })
      return { kind: 'replaced', blobIds }
    },

    *removeCatalog(
      owner: string,
      deviceId: string,
      audit?: readonly NewAuditEntry[],
    ): Plan<{ blobIds: readonly string[] } | undefined> {
      const held = yield* first(statements.findOwn, { owner, deviceId })
      if (held === undefined) return undefined
      if (held.blobId !== null) yield* appendAudit(audit)
      // also without a catalog: one that is on its way must not be stored afterwards
      return { blobIds: yield* clear([held]) }
    },

    *pruneCatalogs(before: string, limit: number): Plan<number> {
      const rows = yield* all(statements.findOld, { before, limit })
      yield* clear(rows)
      return rows.length
    },
  }
}

/** The columns of catalogs, and the indices by which they are found. */
export function buildCatalogs({ schema }: Kysely<CloudTables>): readonly Compilable[] {
  const index = (name: string, column: 'catalog_blob_id' | 'catalog_as_of') =>
    schema.createIndex(name).on('devices').column(column).where(sql.ref(column), 'is not', null)
  return [
    schema.alterTable('devices').addColumn('catalog_blob_id', 'text'),
    schema.alterTable('devices').addColumn('catalog_as_of', 'text'),
    schema.alterTable('devices').addColumn('catalog_files', 'integer'),
    schema.alterTable('devices').addColumn('catalog_bytes', 'bigint'),
    schema
      .alterTable('devices')
      .addColumn('catalog_revision', 'integer', (column) => column.notNull().defaultTo(0)),
    index('devices_catalog_file', 'catalog_blob_id'),
    index('devices_catalog_age', 'catalog_as_of'),
  ]
}

function compileStatements(db: Kysely<CloudTables>, locks: RowLocks) {
  type Set = { deviceId: string; blobId: string; asOf: string; files: number; bytes: number }
  const held = ['id as deviceId', 'catalog_blob_id as blobId', 'catalog_revision as revision'] as const
  type Held = HeldCatalog & { readonly revision: number }
  return {
    readRevision: compileStatement<{ deviceId: string }, { revision: number }>('read', ({ deviceId }) =>
      db.selectFrom('devices').select('catalog_revision as revision').where('id', '=', deviceId),
    ),
    findToReplace: compileStatement<{ deviceId: string }, Held>('read', ({ deviceId }) =>
      locks.toChange(
        db
          .selectFrom('devices')
          .select(held)
          .where('id', '=', deviceId)
          .where('owner', '<>', sql.lit(nobody)),
      ),
    ),
    findOwn: compileStatement<{ owner: string; deviceId: string }, Held>('read', ({ owner, deviceId }) =>
      locks.toChange(
        db.selectFrom('devices').select(held).where('id', '=', deviceId).where('owner', '=', owner),
      ),
    ),
    findOld: compileStatement<{ before: string; limit: number }, HeldCatalog>('read', ({ before, limit }) =>
      locks.whereFree(
        db
          .selectFrom('devices')
          .select(['id as deviceId', 'catalog_blob_id as blobId'])
          .where('catalog_as_of', '<', before)
          .orderBy('catalog_as_of')
          .limit(limitTo(limit)),
      ),
    ),
    clear: compileStatement<HeldCatalog, unknown>('write', ({ deviceId }) =>
      db
        .updateTable('devices')
        .set((eb) => ({
          catalog_blob_id: null,
          catalog_as_of: null,
          catalog_files: null,
          catalog_bytes: null,
          catalog_revision: eb('catalog_revision', '+', sql.lit(1)),
        }))
        .where('id', '=', deviceId),
    ),
    set: compileStatement<Set, unknown>('write', ({ deviceId, blobId, asOf, files, bytes }) =>
      db
        .updateTable('devices')
        .set({
          catalog_blob_id: blobId,
          catalog_as_of: asOf,
          catalog_files: files,
          catalog_bytes: bytes,
        })
        .where('id', '=', deviceId),
    ),
  }
}

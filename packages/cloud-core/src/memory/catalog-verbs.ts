import type { NewAuditEntry } from '../ports/audit-store.ts'
import type { NewCatalog, ReplaceCatalogOutcome } from '../ports/catalog-store.ts'
import { type DeviceRow, noCatalog } from '../sql/device-row.ts'
import { appendAudit } from './audit-verbs.ts'
import { noteRemovals } from './retention-verbs.ts'
import type { Tables } from './tables.ts'

/** {@link CatalogStore.readCatalogRevision}, in memory. */
export function readCatalogRevision(tables: Tables, deviceId: string): number | undefined {
  return tables.devices.has(deviceId) ? (tables.catalogRevisions.get(deviceId) ?? 0) : undefined
}

/** {@link CatalogStore.replaceCatalog}, in memory. */
export function replaceCatalog(
  tables: Tables,
  { deviceId, revision, catalog }: NewCatalog,
): ReplaceCatalogOutcome {
  const row = tables.devices.get(deviceId)
  if (row === undefined) return { kind: 'unknown' }
  if (readCatalogRevision(tables, deviceId) !== revision) return { kind: 'changed' }
  const blobIds = clear(tables, row)
  const { blobId, asOf, files, bytes } = catalog
  Object.assign(row, {
    catalogBlobId: blobId,
    catalogAsOf: asOf,
    catalogFiles: files,
    catalogBytes: bytes,
  } satisfies Partial<DeviceRow>)
  return { kind: 'replaced', blobIds }
}

/** {@link CatalogStore.removeCatalog}, in memory. */
export function removeCatalog(
  tables: Tables,
  owner: string,
  deviceId: string,
  audit?: readonly NewAuditEntry[],
): { readonly blobIds: readonly string[] } | undefined {
  const row = tables.devices.get(deviceId)
  if (row?.owner !== owner) return undefined
  if (row.catalogBlobId !== null) appendAudit(tables, audit)
  return { blobIds: clear(tables, row) }
}

/** {@link CatalogStore.pruneCatalogs}, in memory. */
export function pruneCatalogs(tables: Tables, before: string, limit: number): number {
  const asOf = (row: DeviceRow) => row.catalogAsOf ?? before
  const old = [...tables.devices.values()].filter((row) => asOf(row) < before)
  const rows = old.toSorted((a, b) => (asOf(a) < asOf(b) ? -1 : 1)).slice(0, limit)
  for (const row of rows) clear(tables, row)
  return rows.length
}

function clear(tables: Tables, row: DeviceRow): readonly string[] {
  const { catalogBlobId } = row
  noteRemovals(tables, [catalogBlobId])
  Object.assign(row, noCatalog)
  tables.catalogRevisions.set(row.id, (tables.catalogRevisions.get(row.id) ?? 0) + 1)
  return catalogBlobId === null ? [] : [catalogBlobId]
}

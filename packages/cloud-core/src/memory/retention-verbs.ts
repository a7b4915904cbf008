import type { SearchRow } from '../sql/search-row.ts'
import type { UploadRow } from '../sql/upload-row.ts'
import { removeSorted } from './sorted-rows.ts'
import type { Tables, WorkTable } from './tables.ts'

/** Notes files whose rows are gone. */
export function noteRemovals(tables: Tables, blobIds: Iterable<string | null>): void {
  for (const id of blobIds) if (id !== null) tables.blobRemovals.add(id)
}

/** Takes one search or upload request out of all lists. */
function removeRow<Row extends SearchRow | UploadRow>(table: WorkTable<Row>, row: Row): void {
  table.byId.delete(row.id)
  const lists = [
    [table.byOwner, row.owner],
    [table.byDevice, row.deviceId],
    [table.openByDevice, row.deviceId],
    [table.byGroup, row.groupId ?? ''],
  ] as const
  for (const [list, key] of lists) {
    const rows = list.get(key)
    if (rows === undefined) continue
    removeSorted(rows, row)
    if (rows.length === 0) list.delete(key)
  }
}

/** Takes a search out, and notes its file. */
export function removeSearch(tables: Tables, row: SearchRow): void {
  removeRow(tables.searches, row)
  if (row.resultsBlobId !== null) tables.resultsByBlob.delete(row.resultsBlobId)
  noteRemovals(tables, [row.resultsBlobId])
}

/** Takes an upload request out, and notes its files. */
export function removeUpload(tables: Tables, row: UploadRow): void {
  removeRow(tables.uploads, row)
  if (row.fileBlobId !== null) tables.uploadsByBlob.delete(row.fileBlobId)
  noteRemovals(tables, [row.fileBlobId, row.attemptBlobId])
}

/** Takes groups out that have lost the last of their rows. */
export function removeEmptyGroups(
  tables: Tables,
  rows: readonly { readonly groupId: string | null }[],
): void {
  for (const id of new Set(rows.map(({ groupId }) => groupId))) {
    const group = id === null ? undefined : tables.groups.get(id)
    if (group === undefined || group.unmade > 0) continue
    if (tables.searches.byGroup.has(group.id) || tables.uploads.byGroup.has(group.id)) continue
    tables.groups.delete(group.id)
    removeSorted(tables.groupsByOwner.get(group.owner) ?? [], group)
  }
}

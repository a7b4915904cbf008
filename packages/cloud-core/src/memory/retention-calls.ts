import type { NewAuditEntry } from '../ports/audit-store.ts'
import type { RemovedRows } from '../ports/retention-store.ts'
import { resultsState } from '../sql/search-row.ts'
import { isLeaseHeld } from '../uploads/lease-times.ts'
import { appendAudit } from './audit-verbs.ts'
import { deleteDevice } from './device-verbs.ts'
import { takeEnrollment } from './enrollment-rows.ts'
import { noteRemovals, removeEmptyGroups, removeSearch, removeUpload } from './retention-verbs.ts'
import type { Tables } from './tables.ts'

interface Ended {
  readonly completedAt: string | null
  readonly expiresAt: string
  readonly leaseUntil?: string | null
}

/** Up to `limit` rows that ended before a moment, those first that ended first. */
function oldest<Row extends Ended>(rows: Iterable<Row>, before: string, limit: number): readonly Row[] {
  const endOf = ({ completedAt, expiresAt, leaseUntil }: Row) =>
    completedAt ?? (isLeaseHeld(leaseUntil, before) ? before : expiresAt)
  const old = [...rows].filter((row) => endOf(row) < before)
  return old.toSorted((a, b) => (endOf(a) < endOf(b) ? -1 : 1)).slice(0, limit)
}

/** {@link RetentionStore.pruneResults}, in memory. */
export function pruneResults(tables: Tables, before: string, limit: number): number {
  const held = [...tables.searches.byId.values()].filter((row) => row.resultsState === resultsState.held)
  const rows = oldest(held, before, limit)
  for (const row of rows) {
    if (row.resultsBlobId !== null) tables.resultsByBlob.delete(row.resultsBlobId)
    noteRemovals(tables, [row.resultsBlobId])
    Object.assign(row, { results: null, resultsBlobId: null, resultsState: resultsState.gone })
  }
  return rows.length
}

/** {@link RetentionStore.pruneSearches}, in memory. */
export function pruneSearches(tables: Tables, before: string, limit: number): number {
  const rows = oldest(tables.searches.byId.values(), before, limit)
  for (const row of rows) removeSearch(tables, row)
  removeEmptyGroups(tables, rows)
  return rows.length
}

/** {@link RetentionStore.pruneUploads}, in memory. */
export function pruneUploads(tables: Tables, before: string, limit: number): number {
  const rows = oldest(tables.uploads.byId.values(), before, limit)
  for (const row of rows) removeUpload(tables, row)
  removeEmptyGroups(tables, rows)
  return rows.length
}

/** {@link RetentionStore.beginErasure}, in memory. */
export function beginErasure(tables: Tables, owner: string, entry: NewAuditEntry): void {
  if (!tables.erasures.has(owner)) tables.erasures.set(owner, entry)
}

/** {@link RetentionStore.removeSome}, in memory: an owner as a whole, since nothing waits for a transaction here. */
export function removeSome(tables: Tables): RemovedRows {
  const [erasure] = tables.erasures
  if (erasure === undefined) return { rows: 0, hashes: [], deviceIds: [] }
  const [owner, entry] = erasure
  const devices = [...(tables.devicesByOwner.get(owner) ?? [])]
  for (const webhook of tables.webhooks.values()) {
    if (webhook.owner !== owner) continue
    tables.webhooks.delete(webhook.id)
    tables.deliveries.delete(webhook.id)
  }
  const tokens = [...tables.tokens.values()].filter((token) => token.owner === owner)
  for (const { id } of devices) deleteDevice(tables, owner, id)
  for (const { id } of tokens) tables.tokens.delete(id)
  for (const saved of tables.savedSearches.values())
    if (saved.owner === owner) tables.savedSearches.delete(saved.id)
  for (const { id } of tables.groupsByOwner.get(owner) ?? []) tables.groups.delete(id)
  tables.groupsByOwner.delete(owner)
  for (const row of tables.enrollments.byId.values()) if (row.owner === owner) takeEnrollment(tables, row)
  for (const row of tables.enrollmentTokens.byId.values()) {
    if (row.owner !== owner) continue
    tables.enrollmentTokens.byId.delete(row.id)
    tables.enrollmentTokens.bySecret.delete(row.secretHash)
  }
  for (const { id } of tables.audit.get(owner) ?? []) tables.auditIds.delete(id)
  tables.audit.delete(owner)
  const scope = JSON.stringify([owner]).slice(0, -1) + ','
  for (const [key, once] of tables.once) if (once.scope.startsWith(scope)) tables.once.delete(key)
  tables.erasures.delete(owner)
  appendAudit(tables, [entry])
  return {
    rows: devices.length + tokens.length + 1,
    hashes: [
      ...devices.flatMap(({ keyHash, previousHash }) =>
        previousHash === null ? [keyHash] : [keyHash, previousHash],
      ),
      ...tokens.map(({ hash }) => hash),
    ],
    deviceIds: devices.map(({ id }) => id),
  }
}

/** {@link RetentionStore.hasLeftovers}, in memory. */
export function hasLeftovers(tables: Tables): boolean {
  return tables.erasures.size > 0 || tables.blobRemovals.size > 0
}

/** {@link RetentionStore.isErased}, in memory. */
export function isErased(tables: Tables, owner: string): boolean {
  return !tables.erasures.has(owner)
}

/** {@link RetentionStore.listBlobRemovals}, in memory. */
export function listBlobRemovals(tables: Tables, limit: number): readonly string[] {
  return [...tables.blobRemovals].slice(0, limit)
}

/** {@link RetentionStore.confirmBlobRemovals}, in memory. */
export function confirmBlobRemovals(tables: Tables, blobIds: readonly string[]): void {
  for (const id of blobIds) tables.blobRemovals.delete(id)
}

import { CloudStoreError } from '../ports/cloud-store-error.ts'
import type { NewAuditEntry } from '../ports/audit-store.ts'
import type { NewGroup } from '../ports/group-store.ts'
import type { CreateOutcome, IdempotencyRecord } from '../ports/idempotency-record.ts'
import type { PagePosition } from '../ports/page.ts'
import { isLeaseHeld } from '../uploads/lease-times.ts'
import { appendAudit } from './audit-verbs.ts'
import { addGroup } from './group-rows.ts'
import { addOnce, findRepeat } from './once-rows.ts'
import { addSorted, removeSorted } from './sorted-rows.ts'
import type { Tables, WorkTable } from './tables.ts'
import { listIn } from './tables.ts'

/** What searches and upload requests have in common. */
interface WorkRow extends PagePosition {
  readonly deviceId: string
  groupId: string | null
  readonly owner: string
  readonly expiresAt: string
  readonly completedAt: string | null
  readonly leaseUntil?: string | null
}

/** Adds work for devices: all of it, or nothing. */
export function insertWork<Row extends WorkRow>(
  tables: Tables,
  table: WorkTable<Row>,
  work: {
    owner: string
    rows: readonly Row[]
    once: IdempotencyRecord | undefined
    audit: readonly NewAuditEntry[] | undefined
    group: NewGroup | undefined
  },
): CreateOutcome | { readonly kind: 'unknown_device' } {
  const repeat = findRepeat(tables.once, work.once)
  if (repeat !== undefined) return repeat
  if (work.rows.some((row) => tables.devices.get(row.deviceId)?.owner !== work.owner))
    return { kind: 'unknown_device' }
  const ids = new Set(work.rows.map((row) => row.id))
  if (ids.size < work.rows.length || work.rows.some((row) => table.byId.has(row.id))) {
    throw new CloudStoreError(
      'CONFLICT',
      'Adding work for devices failed: an id is already in use. Create a new one.',
    )
  }
  addGroup(tables, work.owner, work.group, () => appendAudit(tables, work.audit))
  addOnce(tables.once, work.once)
  for (const row of work.rows) addWork(table, row)
  return { kind: 'created' }
}

/** Takes a row out of the work that waits. */
export function endWork<Row extends WorkRow>(table: WorkTable<Row>, row: Row): void {
  takeOut(table.openByDevice, row.deviceId, row)
}

/** Removes everything of one device and gives the removed rows. */
export function removeWork<Row extends WorkRow>(
  table: WorkTable<Row>,
  owner: string,
  deviceId: string,
): readonly Row[] {
  const removed = table.byDevice.get(deviceId) ?? []
  for (const row of removed) {
    table.byId.delete(row.id)
    leaveGroup(table, row)
  }
  table.byDevice.delete(deviceId)
  table.openByDevice.delete(deviceId)
  const rest = table.byOwner.get(owner)?.filter((row) => row.deviceId !== deviceId) ?? []
  if (rest.length > 0) table.byOwner.set(owner, rest)
  else table.byOwner.delete(owner)
  return removed
}

/** Removes one row. */
export function removeRow<Row extends WorkRow>(table: WorkTable<Row>, row: Row): void {
  endWork(table, row)
  leaveGroup(table, row)
  table.byId.delete(row.id)
  takeOut(table.byOwner, row.owner, row)
  takeOut(table.byDevice, row.deviceId, row)
}

/** Takes a row out of its group, if it has one. */
export function leaveGroup<Row extends WorkRow>(table: WorkTable<Row>, row: Row): void {
  if (row.groupId !== null) takeOut(table.byGroup, row.groupId, row)
}

function takeOut<Row extends WorkRow>(lists: Map<string, Row[]>, key: string, row: Row): void {
  const rows = lists.get(key)
  if (rows === undefined) return
  removeSorted(rows, row)
  if (rows.length === 0) lists.delete(key)
}

/** The oldest rows of a device that `accepts` takes. */
export function listOpen<Row extends WorkRow>(
  table: WorkTable<Row>,
  deviceId: string,
  limit: number,
  accepts: (row: Row) => boolean,
): readonly Row[] {
  const found: Row[] = []
  for (const row of table.openByDevice.get(deviceId) ?? []) {
    if (found.length >= limit) break
    if (accepts(row)) found.push(row)
  }
  return found
}

/** Adds a row to a table and to its lists. */
export function addWork<Row extends WorkRow>(table: WorkTable<Row>, row: Row): void {
  table.byId.set(row.id, row)
  addSorted(listIn(table.byOwner, row.owner), row)
  addSorted(listIn(table.byDevice, row.deviceId), row)
  if (row.groupId !== null) addSorted(listIn(table.byGroup, row.groupId), row)
  if (row.completedAt !== null) return
  const open = listIn(table.openByDevice, row.deviceId)
  // What is over never waits again: dropping it here keeps polls short for a device that is away for long.
  while (open[0] !== undefined && isOver(open[0], row.createdAt)) open.shift()
  addSorted(open, row)
}

/** Whether nobody may settle a row any more. A lease holds it open beyond its time. */
function isOver({ expiresAt, leaseUntil }: WorkRow, now: string): boolean {
  return expiresAt <= now && !isLeaseHeld(leaseUntil, now)
}

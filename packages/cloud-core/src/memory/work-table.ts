import { CloudStoreError } from '../ports/cloud-store-error.ts'
import type { NewAuditEntry } from '../ports/audit-store.ts'
import type { CreateOutcome, Once } from '../ports/once.ts'
import type { PagePosition } from '../ports/page.ts'
import { isLeaseHeld } from '../uploads/lease-times.ts'
import { appendAudit } from './audit-verbs.ts'
import { addOnce, findRepeat } from './once-rows.ts'
import { addSorted, removeSorted } from './sorted-rows.ts'
import type { Tables, WorkTable } from './tables.ts'
import { listIn } from './tables.ts'

/** What searches and upload requests have in common. */
interface WorkRow extends PagePosition {
  readonly deviceId: string
  readonly owner: string
  readonly expiresAt: string
  readonly leaseUntil?: string | null
}

/** Adds work for devices: all of it, or nothing. */
export function insertWork<Row extends WorkRow>(
  tables: Tables,
  table: WorkTable<Row>,
  work: {
    owner: string
    rows: readonly Row[]
    once: Once | undefined
    audit: readonly NewAuditEntry[] | undefined
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
      'Adding work for devices failed: an id is in use already. Make a new one.',
    )
  }
  appendAudit(tables, work.audit)
  addOnce(tables.once, work.once)
  for (const row of work.rows) addWork(table, row)
  return { kind: 'created' }
}

/** Takes a row out of the work that waits. */
export function endWork<Row extends WorkRow>(table: WorkTable<Row>, row: Row): void {
  const open = table.openByDevice.get(row.deviceId)
  if (open === undefined) return
  removeSorted(open, row)
  if (open.length === 0) table.openByDevice.delete(row.deviceId)
}

/** Removes everything of one device and gives the removed rows. */
export function removeWork<Row extends WorkRow>(
  table: WorkTable<Row>,
  owner: string,
  deviceId: string,
): readonly Row[] {
  const removed = table.byDevice.get(deviceId) ?? []
  for (const row of removed) table.byId.delete(row.id)
  table.byDevice.delete(deviceId)
  table.openByDevice.delete(deviceId)
  const rest = table.byOwner.get(owner)?.filter((row) => row.deviceId !== deviceId) ?? []
  if (rest.length > 0) table.byOwner.set(owner, rest)
  else table.byOwner.delete(owner)
  return removed
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

function addWork<Row extends WorkRow>(table: WorkTable<Row>, row: Row): void {
  table.byId.set(row.id, row)
  addSorted(listIn(table.byOwner, row.owner), row)
  addSorted(listIn(table.byDevice, row.deviceId), row)
  const open = listIn(table.openByDevice, row.deviceId)
  // What is over never waits again: dropping it here keeps polls short for a device that is away for long.
  while (open[0] !== undefined && isOver(open[0], row.createdAt)) open.shift()
  addSorted(open, row)
}

/** Whether nobody may settle a row any more. A lease holds it open beyond its time. */
function isOver({ expiresAt, leaseUntil }: WorkRow, now: string): boolean {
  return expiresAt <= now && !isLeaseHeld(leaseUntil, now)
}

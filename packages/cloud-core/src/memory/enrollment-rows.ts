import { CloudStoreError } from '../ports/cloud-store-error.ts'
import type { EnrollmentRow } from '../sql/enrollment-row.ts'
import type { Tables } from './tables.ts'

/** More than one goes for each that comes, so the table stays bounded. */
const purgeAtOnce = 16

/** Forgets the enrollment of a device that is deleted: it may enroll again. */
export function removeEnrollment(tables: Tables, deviceId: string): void {
  const row = tables.enrollments.byDevice.get(deviceId)
  if (row) takeEnrollment(tables, row)
}

/** @throws {CloudStoreError} `CONFLICT` for a code that another enrollment has. */
export function assertNewCode(tables: Tables, row: EnrollmentRow): void {
  const other = row.codeHash === null ? undefined : tables.enrollments.byCode.get(row.codeHash)
  if (other === undefined || other.id === row.id) return
  throw new CloudStoreError(
    'CONFLICT',
    'Adding an enrollment failed: its code is already in use. Create a new one.',
  )
}

/** Adds a row to everything that it is found by. */
export function putEnrollment({ enrollments }: Tables, row: EnrollmentRow): void {
  enrollments.byId.set(row.id, row)
  enrollments.byKey.set(row.keyHash, row)
  if (row.codeHash !== null) enrollments.byCode.set(row.codeHash, row)
  if (row.deviceId !== null) enrollments.byDevice.set(row.deviceId, row)
  if (row.purgeAt !== null) enrollments.toPurge.add(row)
}

/** Takes a row out of everything that it is found by, before it changes or goes. */
export function takeEnrollment({ enrollments }: Tables, row: EnrollmentRow): void {
  enrollments.byId.delete(row.id)
  enrollments.byKey.delete(row.keyHash)
  if (row.codeHash !== null) enrollments.byCode.delete(row.codeHash)
  if (row.deviceId !== null) enrollments.byDevice.delete(row.deviceId)
  enrollments.toPurge.delete(row)
}

/** Deletes some of those whose time has come. */
export function purgeEnrollments(tables: Tables, now: string): void {
  let looked = 0
  for (const row of tables.enrollments.toPurge) {
    if (looked === purgeAtOnce) return
    looked += 1
    if (row.purgeAt !== null && row.purgeAt <= now) takeEnrollment(tables, row)
    else if (tables.enrollments.toPurge.delete(row)) tables.enrollments.toPurge.add(row)
  }
}

import type { NewAuditEntry } from '../ports/audit-store.ts'
import type {
  DecisionOutcome,
  EnrollmentApproval,
  EnrollOutcome,
  NewEnrollment,
  StoredEnrollment,
} from '../ports/enrollment-store.ts'
import {
  type Admission,
  type EnrollmentRow,
  type EnrollmentTokenRow,
  mayUseToken,
  refusalOf,
  toAdmittedDevice,
  toApproval,
  toDecided,
  toDenial,
  toEnrollmentRow,
  toStoredEnrollment,
  toUse,
} from '../sql/enrollment-row.ts'
import { appendAudit } from './audit-verbs.ts'
import { insertDevice } from './device-verbs.ts'
import { assertNewCode, putEnrollment, purgeEnrollments, takeEnrollment } from './enrollment-rows.ts'
import type { Tables } from './tables.ts'

/** {@link EnrollmentStore.enroll}, in memory. */
export function enroll(
  tables: Tables,
  enrollment: NewEnrollment,
  token?: { readonly secretHash: string; readonly deviceId: string },
  audit?: readonly NewAuditEntry[],
): EnrollOutcome {
  const { byKey } = tables.enrollments
  const known = byKey.get(enrollment.key.hash)
  const isOver = known?.status === 'pending' && known.expiresAt <= enrollment.createdAt
  const kind = known === undefined || isOver ? 'created' : 'existing'
  const row = kind === 'created' ? { ...toEnrollmentRow(enrollment), id: known?.id ?? enrollment.id } : known!
  assertNewCode(tables, row)
  if (token !== undefined && row.status === 'pending') {
    const used = tables.enrollmentTokens.bySecret.get(token.secretHash)
    const reason = refusalOf(used, enrollment.createdAt)
    if (reason !== undefined) return { kind: 'refused', reason }
    if (mayUseToken(row, used!)) {
      const { owner, id, approval } = used!
      if (approval === 'ask') Object.assign(row, { owner, tokenId: id })
      else admit(tables, row, used, { ...token, owner, now: enrollment.createdAt }, audit)
    }
  }
  if (kind === 'created') {
    purgeEnrollments(tables, enrollment.createdAt)
    if (known) takeEnrollment(tables, known)
    putEnrollment(tables, row)
  }
  return { kind, enrollment: toStoredEnrollment(row) }
}

/** {@link EnrollmentStore.findEnrollment}, in memory. */
export function findEnrollment(tables: Tables, id: string): StoredEnrollment | undefined {
  return toFound(tables.enrollments.byId.get(id))
}

/** {@link EnrollmentStore.findEnrollmentByKey}, in memory. */
export function findEnrollmentByKey(tables: Tables, keyHash: string): StoredEnrollment | undefined {
  return toFound(tables.enrollments.byKey.get(keyHash))
}

/** {@link EnrollmentStore.findEnrollmentByCode}, in memory. */
export function findEnrollmentByCode(
  tables: Tables,
  codeHash: string,
  now: string,
): StoredEnrollment | undefined {
  const row = tables.enrollments.byCode.get(codeHash)
  return row !== undefined && isPending(row, now) ? toStoredEnrollment(row) : undefined
}

/** {@link EnrollmentStore.countPendingEnrollments}, in memory. */
export function countPendingEnrollments(tables: Tables, owner: string | null, now: string): number {
  let count = 0
  for (const row of tables.enrollments.byCode.values()) {
    if (row.owner === owner && isPending(row, now)) count += 1
  }
  return count
}

/** {@link EnrollmentStore.approveEnrollment}, in memory. */
export function approveEnrollment(
  tables: Tables,
  approval: EnrollmentApproval,
  audit?: readonly NewAuditEntry[],
): DecisionOutcome {
  const row = tables.enrollments.byId.get(approval.id)
  const decided = toDecided(row, approval)
  if (decided !== undefined || row === undefined) return decided ?? { kind: 'unknown' }
  const token = row.tokenId === null ? undefined : tables.enrollmentTokens.byId.get(row.tokenId)
  const reason = row.tokenId === null ? undefined : refusalOf(token, approval.now)
  if (reason !== undefined) return { kind: 'refused', reason }
  admit(tables, row, token, approval, audit)
  return { kind: 'approved', enrollment: toStoredEnrollment(row) }
}

/** {@link EnrollmentStore.denyEnrollment}, in memory. */
export function denyEnrollment(
  tables: Tables,
  denial: { id: string; owner: string; now: string; purgeAt: string },
  audit?: readonly NewAuditEntry[],
): DecisionOutcome {
  const row = tables.enrollments.byId.get(denial.id)
  const decided = toDecided(row, denial)
  if (decided !== undefined || row === undefined) return decided ?? { kind: 'unknown' }
  appendAudit(tables, audit)
  takeEnrollment(tables, row)
  putEnrollment(tables, Object.assign(row, toDenial(denial.owner, denial.purgeAt)))
  return { kind: 'denied', enrollment: toStoredEnrollment(row) }
}

function admit(
  tables: Tables,
  row: EnrollmentRow,
  token: EnrollmentTokenRow | undefined,
  admission: Admission,
  audit: readonly NewAuditEntry[] | undefined,
): void {
  const device = toAdmittedDevice(row, token, admission)
  insertDevice(tables, device, undefined, audit)
  const isStored = tables.enrollments.byId.get(row.id) === row
  if (isStored) takeEnrollment(tables, row)
  Object.assign(row, toApproval(device))
  if (isStored) putEnrollment(tables, row)
  if (token) Object.assign(token, toUse(token, device.id, admission.now))
}

const isPending = (row: EnrollmentRow, now: string) => row.status === 'pending' && row.expiresAt > now

const toFound = (row: EnrollmentRow | undefined) => (row === undefined ? undefined : toStoredEnrollment(row))

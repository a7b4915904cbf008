import type { NewAuditEntry } from '../ports/audit-store.ts'
import { CloudStoreError } from '../ports/cloud-store-error.ts'
import type { StoredEnrollmentToken } from '../ports/enrollment-store.ts'
import type { CreateOutcome, IdempotencyRecord } from '../ports/idempotency-record.ts'
import { type EnrollmentTokenRow, toStoredToken, toTokenRow } from '../sql/enrollment-row.ts'
import { appendAudit } from './audit-verbs.ts'
import { addOnce, findRepeat } from './once-rows.ts'
import type { Tables } from './tables.ts'

/** {@link EnrollmentStore.ensureSecret}, in memory. */
export function ensureSecret(tables: Tables, name: string, value: string): string {
  const kept = tables.secrets.get(name) ?? value
  tables.secrets.set(name, kept)
  return kept
}

/** {@link EnrollmentStore.insertEnrollmentToken}, in memory. */
export function insertEnrollmentToken(
  tables: Tables,
  token: StoredEnrollmentToken,
  { maxTokens, revokedBefore }: { maxTokens: number; revokedBefore: string },
  once: IdempotencyRecord | undefined,
  audit?: readonly NewAuditEntry[],
): CreateOutcome | { readonly kind: 'full' } {
  const repeat = findRepeat(tables.once, once)
  if (repeat !== undefined) return repeat
  const { byId, bySecret } = tables.enrollmentTokens
  const own = [...byId.values()].filter(({ owner }) => owner === token.owner)
  if (own.filter(isValid).length >= maxTokens) return { kind: 'full' }
  if (byId.has(token.id) || bySecret.has(token.secretHash)) {
    throw new CloudStoreError(
      'CONFLICT',
      'Adding an enrollment token failed: its id or secret is already in use. Create a new one.',
    )
  }
  appendAudit(tables, audit)
  addOnce(tables.once, once)
  for (const row of own) {
    if (row.revokedAt === null || row.revokedAt >= revokedBefore) continue
    byId.delete(row.id)
    bySecret.delete(row.secretHash)
  }
  const row = toTokenRow(token)
  byId.set(row.id, row)
  bySecret.set(row.secretHash, row)
  return { kind: 'created' }
}

/** {@link EnrollmentStore.findEnrollmentToken}, in memory. */
export function findEnrollmentToken(tables: Tables, secretHash: string): StoredEnrollmentToken | undefined {
  const row = tables.enrollmentTokens.bySecret.get(secretHash)
  return row === undefined ? undefined : toStoredToken(row)
}

/** {@link EnrollmentStore.listEnrollmentTokens}, in memory. */
export function listEnrollmentTokens(
  tables: Tables,
  owner: string,
  limit: number,
): readonly StoredEnrollmentToken[] {
  return [...tables.enrollmentTokens.byId.values()]
    .filter((row) => row.owner === owner && isValid(row))
    .toSorted((a, b) => (toPlace(a) < toPlace(b) ? 1 : -1))
    .slice(0, limit)
    .map(toStoredToken)
}

/** {@link EnrollmentStore.revokeEnrollmentToken}, in memory. */
export function revokeEnrollmentToken(
  tables: Tables,
  { owner, id, now }: { owner: string; id: string; now: string },
  audit?: readonly NewAuditEntry[],
): boolean {
  const row = tables.enrollmentTokens.byId.get(id)
  if (row === undefined || row.owner !== owner || !isValid(row)) return false
  appendAudit(tables, audit)
  Object.assign(row, { revokedAt: now })
  return true
}

const isValid = (row: EnrollmentTokenRow) => row.revokedAt === null

const toPlace = (row: EnrollmentTokenRow) => row.createdAt + row.id

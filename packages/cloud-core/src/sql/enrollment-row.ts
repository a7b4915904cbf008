import type { StoredDevice } from '../ports/device-store.ts'
import type {
  DecisionOutcome,
  NewEnrollment,
  StoredEnrollment,
  StoredEnrollmentToken,
  TokenRejection,
} from '../ports/enrollment-store.ts'
import { parseMetadata } from './device-row.ts'

/** An enrollment as adapters keep it: flat, metadata as JSON text. Once it is decided, its code is gone. */
export interface EnrollmentRow {
  id: string
  keyHash: string
  keyHint: string
  codeHash: string | null
  status: 'pending' | 'approved' | 'denied'
  name: string
  type: string
  platform: string
  metadata: string
  address: string | null
  createdAt: string
  expiresAt: string
  purgeAt: string | null
  owner: string | null
  deviceId: string | null
  tokenId: string | null
}

/** A token as adapters keep it: labels as JSON text. */
export interface EnrollmentTokenRow extends Omit<StoredEnrollmentToken, 'labels'> {
  labels: string
}

/** Row of a new enrollment. */
export function toEnrollmentRow(enrollment: NewEnrollment): EnrollmentRow {
  const { key, metadata, ...rest } = enrollment
  return {
    ...rest,
    keyHash: key.hash,
    keyHint: key.hint,
    metadata: JSON.stringify(metadata),
    status: 'pending',
    owner: null,
    deviceId: null,
    tokenId: null,
  }
}

/** The enrollment that a row holds. */
export function toStoredEnrollment(row: EnrollmentRow): StoredEnrollment {
  const { keyHash, keyHint, metadata, purgeAt: _purgeAt, codeHash, ...rest } = row
  return {
    ...rest,
    codeHash: codeHash ?? '',
    key: { hash: keyHash, hint: keyHint },
    metadata: parseMetadata(metadata),
  }
}

/** Row of a token. */
export function toTokenRow(token: StoredEnrollmentToken): EnrollmentTokenRow {
  return { ...token, labels: JSON.stringify(token.labels) }
}

/** The token that a row holds. */
export function toStoredToken(row: EnrollmentTokenRow): StoredEnrollmentToken {
  // Written by `JSON.stringify` from a checked value, so the shape is known.
  return { ...row, labels: JSON.parse(row.labels) as readonly string[] }
}

/** Why a token admits nobody at `now`; undefined when it admits one more. */
export function refusalOf(
  token: Pick<EnrollmentTokenRow, 'revokedAt' | 'expiresAt' | 'maxDevices' | 'used'> | undefined,
  now: string,
): TokenRejection | undefined {
  if (token === undefined) return 'unknown'
  if (token.revokedAt !== null) return 'revoked'
  if (token.expiresAt !== null && token.expiresAt <= now) return 'expired'
  return token.maxDevices !== null && token.used >= token.maxDevices ? 'used up' : undefined
}

/** Why a user cannot decide about an enrollment, or what was decided before; undefined when the user can. */
export function toDecided(
  row: EnrollmentRow | undefined,
  { owner, now }: { owner: string; now: string },
): DecisionOutcome | undefined {
  // What belongs to another user does not exist for this one (C20).
  if (row === undefined || (row.owner !== null && row.owner !== owner)) return { kind: 'unknown' }
  if (row.status !== 'pending') return { kind: row.status, enrollment: toStoredEnrollment(row), again: true }
  return row.expiresAt <= now ? { kind: 'expired' } : undefined
}

/** Whether a token changes anything about an enrollment that is there: one of another user does not. */
export function mayUseToken(row: EnrollmentRow, token: Pick<EnrollmentTokenRow, 'owner'>): boolean {
  return row.status === 'pending' && (row.owner === null || row.owner === token.owner)
}

/** What an approval writes. */
export function toApproval(device: StoredDevice): Decided {
  return { status: 'approved', owner: device.owner, deviceId: device.id, codeHash: null, purgeAt: null }
}

/** What a denial writes. */
export function toDenial(owner: string, purgeAt: string): Decided {
  return { status: 'denied', owner, deviceId: null, codeHash: null, purgeAt }
}

/** The columns that a decision writes. */
export type Decided = Pick<EnrollmentRow, 'status' | 'owner' | 'deviceId' | 'codeHash' | 'purgeAt'>

/** What a token counts when it admits a device. */
export function toUse(token: Pick<EnrollmentTokenRow, 'used'>, deviceId: string, now: string) {
  return { used: token.used + 1, lastUsedAt: now, lastDeviceId: deviceId }
}

/** Who lets a device in, and what the user says of it. */
export interface Admission {
  readonly owner: string
  readonly deviceId: string
  readonly now: string
  /** Replaces the name that the device gave. */
  readonly name?: string | undefined
  /** Labels besides those of the token. */
  readonly labels?: readonly string[]
}

const maxLabels = 32

/** The device that an enrollment becomes. Of too many labels, those of the token that come last are left out. */
export function toAdmittedDevice(
  row: EnrollmentRow,
  token: EnrollmentTokenRow | undefined,
  { deviceId, owner, now, name = row.name, labels = [] }: Admission,
): StoredDevice {
  const ofToken = token === undefined ? [] : toStoredToken(token).labels
  return {
    id: deviceId,
    owner,
    name,
    type: row.type,
    platform: row.platform,
    metadata: parseMetadata(row.metadata),
    lastSeenAt: null,
    createdAt: now,
    key: { hash: row.keyHash, hint: row.keyHint, sealed: null },
    labels: [...new Set([...labels, ...ofToken])].slice(0, maxLabels),
  }
}

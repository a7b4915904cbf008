import type { EnrollmentRow, EnrollmentTokenRow } from './enrollment-row.ts'

/** Devices that wait to be let in, and those that were (C28). */
export interface EnrollmentsTable {
  id: string
  key_hash: string
  key_hint: string
  code_hash: string | null
  status: EnrollmentRow['status']
  name: string
  type: string
  platform: string
  /** JSON. */
  metadata: string
  address: string | null
  created_at: string
  expires_at: string
  purge_at: string | null
  owner: string | null
  device_id: string | null
  token_id: string | null
}

/** Tokens that let devices in (C28). */
export interface EnrollmentTokensTable {
  id: string
  owner: string
  secret_hash: string
  label: string
  max_devices: number | null
  expires_at: string | null
  /** JSON. */
  labels: string
  approval: EnrollmentTokenRow['approval']
  used: number
  last_used_at: string | null
  last_device_id: string | null
  created_at: string
  revoked_at: string | null
}

/** Secrets that all processes on the storage share. */
export interface SecretsTable {
  name: string
  value: string
}

/** Columns of an `EnrollmentRow`. */
export const enrollmentColumns = [
  'enrollments.id',
  'enrollments.key_hash as keyHash',
  'enrollments.key_hint as keyHint',
  'enrollments.code_hash as codeHash',
  'enrollments.status',
  'enrollments.name',
  'enrollments.type',
  'enrollments.platform',
  'enrollments.metadata',
  'enrollments.address',
  'enrollments.created_at as createdAt',
  'enrollments.expires_at as expiresAt',
  'enrollments.purge_at as purgeAt',
  'enrollments.owner',
  'enrollments.device_id as deviceId',
  'enrollments.token_id as tokenId',
] as const

/** Columns of an `EnrollmentTokenRow`. */
export const enrollmentTokenColumns = [
  'enrollment_tokens.id',
  'enrollment_tokens.owner',
  'enrollment_tokens.secret_hash as secretHash',
  'enrollment_tokens.label',
  'enrollment_tokens.max_devices as maxDevices',
  'enrollment_tokens.expires_at as expiresAt',
  'enrollment_tokens.labels',
  'enrollment_tokens.approval',
  'enrollment_tokens.used',
  'enrollment_tokens.last_used_at as lastUsedAt',
  'enrollment_tokens.last_device_id as lastDeviceId',
  'enrollment_tokens.created_at as createdAt',
  'enrollment_tokens.revoked_at as revokedAt',
] as const

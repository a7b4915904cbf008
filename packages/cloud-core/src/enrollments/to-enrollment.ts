import type { Enrollment, EnrollmentToken } from '@homeward/contract/device-cloud'
import { HttpError } from '@homeward/contract/handler'
import type { StoredEnrollment, StoredEnrollmentToken, TokenRejection } from '../ports/enrollment-store.ts'

/** Whether nobody decided about an enrollment in time. */
export function isExpired(enrollment: StoredEnrollment, now: string): boolean {
  return enrollment.status === 'pending' && enrollment.expiresAt <= now
}

/** An enrollment as its device and the user who decides about it see it. */
export function toEnrollment(enrollment: StoredEnrollment, now: string): Enrollment {
  const { id, deviceId } = enrollment
  const status = isExpired(enrollment, now) ? 'expired' : enrollment.status
  return { id, status, ...(deviceId !== null && { deviceId }) }
}

/** A token as its owner sees it. */
export function toEnrollmentToken(token: StoredEnrollmentToken): EnrollmentToken {
  const { id, label, maxDevices, expiresAt, labels, approval, used, lastUsedAt, lastDeviceId } = token
  return {
    id,
    label,
    ...(maxDevices !== null && { maxDevices }),
    ...(expiresAt !== null && { expiresAt }),
    labels: [...labels],
    approval,
    used,
    ...(lastUsedAt !== null && { lastUsedAt }),
    ...(lastDeviceId !== null && { lastDeviceId }),
  }
}

const refusals: Readonly<Record<TokenRejection, string>> = {
  unknown: 'does not exist. Check it for missing characters',
  revoked: 'was revoked. Ask its owner for a new token',
  expired: 'has expired. Ask its owner for a new token',
  'used up': 'has enrolled the maximum number of devices. Ask its owner for a new token',
}

/** What is wrong with a token, and what to do. */
export const toRefusal = (reason: TokenRejection) =>
  `Enrolling the device failed: the enrollment token ${refusals[reason]}.`

/** 403 for a token that admits nobody. */
export const tokenRefused = (reason: TokenRejection) =>
  new HttpError(403, { error: 'Forbidden', message: toRefusal(reason) })

import type { NewEnrollment, StoredEnrollment, StoredEnrollmentToken } from '../ports/enrollment-store.ts'
import { at } from './store-harness.ts'

/** A device that asks to be let in at second 0, until second 100; its key and code are named after it. */
export function enrollmentOf(id: string, changes: Partial<NewEnrollment> = {}): NewEnrollment {
  return {
    id,
    key: { hash: `hash-${id}`, hint: `hw_…${id}` },
    codeHash: `code-${id}`,
    name: `Device ${id}`,
    type: 'iot',
    platform: 'linux',
    metadata: { os: 'Debian 13' },
    address: '192.0.2.1',
    createdAt: at(0),
    expiresAt: at(100),
    purgeAt: at(200),
    ...changes,
  }
}

/** How a store gives an enrollment back that nobody decided about. */
export function storedEnrollmentOf(id: string, changes: Partial<StoredEnrollment> = {}): StoredEnrollment {
  const { purgeAt: _purgeAt, ...enrollment } = enrollmentOf(id)
  return { ...enrollment, status: 'pending', owner: null, deviceId: null, tokenId: null, ...changes }
}

/** A token of `ann` that lets two devices in by itself, with one label. Its secret is named after it. */
export function tokenOf(id: string, changes: Partial<StoredEnrollmentToken> = {}): StoredEnrollmentToken {
  return {
    id,
    owner: 'ann',
    secretHash: `secret-${id}`,
    label: `Token ${id}`,
    maxDevices: 2,
    expiresAt: at(1000),
    labels: ['site:a'],
    approval: 'auto',
    used: 0,
    lastUsedAt: null,
    lastDeviceId: null,
    createdAt: at(0),
    revokedAt: null,
    ...changes,
  }
}

/** Limits that no case reaches. */
export const tokenLimits = { maxTokens: 100, revokedBefore: at(-1000) }

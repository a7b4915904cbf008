import type { NewAuditEntry } from '../ports/audit-store.ts'
import type { CloudStore } from '../ports/cloud-store.ts'
import type { HeartbeatWrite, StoredDevice, StoredKey } from '../ports/device-store.ts'
import type { NewGroup } from '../ports/group-store.ts'
import type { IdempotencyRecord } from '../ports/idempotency-record.ts'
import type { NewSearch } from '../ports/search-store.ts'
import type { StoredToken } from '../ports/token-store.ts'
import type { NewUpload } from '../ports/upload-store.ts'
import { type ConformanceCase, setupCase } from '@homeward/kit/testing'

/** An empty store to test, with the parts that the test can observe. */
export interface CloudStoreSetup {
  readonly store: CloudStore
  /** All statements so far, if the adapter can report them. The kit then checks their number. */
  readonly statements?: () => readonly { readonly kind: 'read' | 'write' }[]
  /** Opens the same storage again after `store` was closed, if it outlives a process. */
  readonly reopen?: () => Promise<CloudStore>
  /** Removes everything that the setup created. */
  readonly remove?: () => Promise<void>
}

/** Creates stores for the conformance kit. */
export interface CloudStoreHarness {
  /** Creates a new, empty store. */
  create(): Promise<CloudStoreSetup>
}

/** A case of `cloudStoreConformance`. */
export type CloudStoreCase = ConformanceCase<CloudStoreHarness>

/** A case over one new store, which is closed afterwards. */
export function storeCase(name: string, run: (setup: CloudStoreSetup) => Promise<void>): CloudStoreCase {
  return setupCase(name, run, async ({ store, remove }) => {
    await store.close()
    await remove?.()
  })
}

/** A time, in seconds from the start of a case. */
export function at(seconds: number): string {
  return new Date(Date.UTC(2026, 0, 1) + seconds * 1000).toISOString()
}

/** Heartbeats that make a device online: those from second 0 to second 1,000. */
export const online = { from: at(0), until: at(1000) }

/** A key that nobody holds. */
export function keyOf(name: string): StoredKey {
  return { hash: `hash-${name}`, hint: `hw_${name}…`, sealed: `sealed-${name}` }
}

/** A device of `ann`, registered at second 0, whose key is named after it. */
export function deviceOf(id: string, changes: Partial<StoredDevice> = {}): StoredDevice {
  return {
    id,
    owner: 'ann',
    name: `Device ${id}`,
    type: 'laptop',
    platform: 'linux',
    metadata: { os: 'Debian 13' },
    lastSeenAt: null,
    createdAt: at(0),
    key: keyOf(id),
    labels: [],
    ...changes,
  }
}

/** A search for `d1`, created at second 0, that expires at second 100. */
export function searchOf(id: string, changes: Partial<NewSearch> = {}): NewSearch {
  return {
    id,
    deviceId: 'd1',
    groupId: null,
    query: `find ${id}`,
    scope: ['files', 'apps'],
    createdAt: at(0),
    expiresAt: at(100),
    ...changes,
  }
}

/** A group of searches for all devices that there are rows for, created at second 0, that expires at second 100. */
export function groupOf(id: string, changes: Partial<NewGroup> = {}): NewGroup {
  return {
    id,
    kind: 'search',
    query: `find ${id}`,
    scope: ['files', 'apps'],
    createdAt: at(0),
    expiresAt: at(100),
    filter: null,
    savedSearchId: null,
    rest: null,
    ...changes,
  }
}

/** An upload request for `d1`, created at second 0, that expires at second 100. */
export function uploadOf(id: string, changes: Partial<NewUpload> = {}): NewUpload {
  return {
    id,
    deviceId: 'd1',
    groupId: null,
    filePath: `/home/${id}`,
    destination: 'cloud',
    createdAt: at(0),
    expiresAt: at(100),
    ...changes,
  }
}

/** A creation that happens once, from second 0 to second 100. */
export function onceOf(keyHash: string, changes: Partial<IdempotencyRecord> = {}): IdempotencyRecord {
  return {
    scope: 'ann:create',
    keyHash,
    fingerprint: 'print',
    reply: '{"id":1}',
    createdAt: at(0),
    expiresAt: at(100),
    ...changes,
  }
}

/** A token of `ann`, created at second 0, whose secret's hash is named after it. */
export function tokenOf(id: string, changes: Partial<StoredToken> = {}): StoredToken {
  return {
    id,
    owner: 'ann',
    hash: `hash-${id}`,
    hint: `hwt_…${id}`,
    name: `Token ${id}`,
    may: ['read', 'search'],
    createdAt: at(0),
    createdBy: null,
    expiresAt: null,
    lastUsedAt: null,
    ...changes,
  }
}

/** An entry of `ann`, who registered `d1` at second 0, that is kept until second 1,000. */
export function auditOf(id: string, changes: Partial<NewAuditEntry> = {}): NewAuditEntry {
  return {
    id,
    createdAt: at(0),
    expiresAt: at(1000),
    userId: 'ann',
    action: 'device:registered',
    outcome: 'done',
    reason: null,
    deviceId: 'd1',
    subjectId: null,
    name: 'Device d1',
    address: '192.0.2.1',
    ...changes,
  }
}

/** A heartbeat that ends the silence of a device, if it had a heartbeat before. */
export function returnOf(deviceId: string, second: number): HeartbeatWrite {
  const lastSeenAt = at(second)
  return { deviceId, lastSeenAt, returned: { at: lastSeenAt, silentBefore: lastSeenAt } }
}

/** Adds devices, `d1` of `ann` when none is named. */
export async function withDevices(
  store: CloudStore,
  devices: readonly StoredDevice[] = [deviceOf('d1')],
): Promise<void> {
  for (const device of devices) await store.insertDevice(device, undefined)
}

import type { DeviceChanges, DeviceMetadata } from '@homeward/contract/device-cloud'
import type {
  DeviceByKey,
  DeviceWrite,
  LabelChanges,
  StoredDevice,
  StoredKey,
} from '../ports/device-store.ts'

/** A device as adapters keep it: flat, metadata and labels as JSON text. */
export interface DeviceRow {
  id: string
  owner: string
  name: string
  type: string
  platform: string
  metadata: string
  /** Milliseconds since the epoch. */
  lastSeenMs: number | null
  createdAt: string
  keyHash: string
  keyHint: string
  keySealed: string | null
  previousHash: string | null
  previousUntil: string | null
  labels: string
  catalogBlobId: string | null
  catalogAsOf: string | null
  catalogFiles: number | null
  catalogBytes: number | null
}

/** The columns of a device without a catalog. */
export const noCatalog = { catalogBlobId: null, catalogAsOf: null, catalogFiles: null, catalogBytes: null }

/** The key columns that a rotation writes. */
export type KeyColumns = Pick<
  DeviceRow,
  'keyHash' | 'keyHint' | 'keySealed' | 'previousHash' | 'previousUntil'
>

/** Reads metadata back as it was stored. */
export function parseMetadata(text: string): DeviceMetadata {
  // Written by `JSON.stringify` from a checked value, so the shape is known.
  return JSON.parse(text) as DeviceMetadata
}

/** Reads labels back as they were stored. */
export function parseLabels(text: string): string[] {
  return text === '[]' ? [] : (JSON.parse(text) as string[]) // written by `JSON.stringify`, as metadata is
}

/** The columns that a change of a user writes. */
export type ChangedColumns = Pick<DeviceRow, 'name' | 'type' | 'labels'>

/** What a change makes of a row; undefined when everything is so already (C29). */
export function changeRow(row: DeviceRow, write: DeviceWrite): ChangedColumns | undefined {
  const changes: DeviceChanges =
    'addLabels' in write ? { labels: changeLabels(parseLabels(row.labels), write) } : write
  const { name = row.name, type = row.type } = changes
  const labels = changes.labels === undefined ? row.labels : JSON.stringify(changes.labels)
  if (name === row.name && type === row.type && labels === row.labels) return undefined
  return { name, type, labels }
}

/** The labels afterwards: those that stay in their order, then the new ones. */
function changeLabels(own: readonly string[], { addLabels, removeLabels }: LabelChanges): string[] {
  const labels = [...new Set([...own, ...addLabels])].filter((label) => !removeLabels.includes(label))
  return labels.length > maxLabels ? [...own] : labels
}

/** Most labels of a device (C29). */
const maxLabels = 32

/** Row of a new device. */
export function toDeviceRow(device: StoredDevice): DeviceRow {
  return {
    id: device.id,
    owner: device.owner,
    name: device.name,
    type: device.type,
    platform: device.platform,
    metadata: JSON.stringify(device.metadata),
    lastSeenMs: device.lastSeenAt === null ? null : Date.parse(device.lastSeenAt),
    createdAt: device.createdAt,
    keyHash: device.key.hash,
    keyHint: device.key.hint,
    keySealed: device.key.sealed,
    previousHash: null,
    previousUntil: null,
    labels: JSON.stringify(device.labels),
    ...noCatalog,
  }
}

/** The device that a row holds. */
export function toStoredDevice(row: DeviceRow): StoredDevice {
  return {
    id: row.id,
    owner: row.owner,
    name: row.name,
    type: row.type,
    platform: row.platform,
    metadata: parseMetadata(row.metadata),
    lastSeenAt: row.lastSeenMs === null ? null : new Date(row.lastSeenMs).toISOString(),
    createdAt: row.createdAt,
    key: { hash: row.keyHash, hint: row.keyHint, sealed: row.keySealed },
    labels: parseLabels(row.labels),
    ...(row.catalogBlobId !== null && {
      catalog: {
        blobId: row.catalogBlobId,
        asOf: row.catalogAsOf ?? row.createdAt,
        files: row.catalogFiles ?? 0,
        bytes: row.catalogBytes ?? 0,
      },
    }),
  }
}

/** Whether the previous key works at `now`. */
function hasPreviousKey(row: DeviceRow, now: string): boolean {
  return row.previousHash !== null && row.previousUntil !== null && row.previousUntil > now
}

/** The device behind a key hash; undefined when that key no longer works at `now`. */
export function toDeviceByKey(row: DeviceRow, hash: string, now: string): DeviceByKey | undefined {
  const previousWorks = hasPreviousKey(row, now)
  const match = row.keyHash === hash ? 'current' : 'previous'
  if (match === 'previous' && !previousWorks) return undefined
  return { device: toStoredDevice(row), match, hasPreviousKey: previousWorks }
}

/** What a rotation makes of a row's keys, and the hashes that end with it (C15). */
export function rotateKeys(
  row: DeviceRow,
  rotation: { key: StoredKey; previousUntil: string; now: string },
): { columns: KeyColumns; droppedHashes: readonly string[] } {
  const { key, previousUntil, now } = rotation
  // A previous key that still works means that the current one was never used: the device does not know it.
  const neverUsed = hasPreviousKey(row, now)
  const dropped = neverUsed ? row.keyHash : row.previousHash
  return {
    columns: {
      keyHash: key.hash,
      keyHint: key.hint,
      keySealed: key.sealed,
      previousHash: neverUsed ? row.previousHash : row.keyHash,
      previousUntil,
    },
    droppedHashes: dropped === null ? [] : [dropped],
  }
}

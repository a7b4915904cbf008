import { latestHeartbeat } from '../devices/latest-heartbeat.ts'
import { mergeMetadata } from '../devices/merge-metadata.ts'
import { CloudStoreError } from '../ports/cloud-store-error.ts'
import type { NewAuditEntry } from '../ports/audit-store.ts'
import type {
  DeviceCondition,
  DeviceByKey,
  DeviceUpdate,
  DeviceWrite,
  OnlineWindow,
  StoredDevice,
  StoredKey,
  HeartbeatWrite,
} from '../ports/device-store.ts'
import type { CreateOutcome, IdempotencyRecord } from '../ports/idempotency-record.ts'
import type { Page, PageRequest } from '../ports/page.ts'
import {
  type DeviceRow,
  changeRow,
  parseMetadata,
  rotateKeys,
  toDeviceByKey,
  toDeviceRow,
  toStoredDevice,
  parseLabels,
} from '../sql/device-row.ts'
import { appendAudit } from './audit-verbs.ts'
import { removeEnrollment } from './enrollment-rows.ts'
import { addOnce, findRepeat } from './once-rows.ts'
import { addSorted, readPage, removeSorted } from './sorted-rows.ts'
import { type Tables, listIn } from './tables.ts'
import { noteRemovals } from './retention-verbs.ts'
import { addDeviceEvent, addWorkRemoved } from './webhook-events.ts'
import { removeWork } from './work-table.ts'
import { gapRetentionMs, maxGaps } from '../devices/presence-gaps.ts'
import { foldText, toSearchText } from '../devices/search-text.ts'

/** {@link DeviceStore.insertDevice}, in memory. */
export function insertDevice(
  tables: Tables,
  device: StoredDevice,
  once: IdempotencyRecord | undefined,
  audit?: readonly NewAuditEntry[],
): CreateOutcome {
  const repeat = findRepeat(tables.once, once)
  if (repeat !== undefined) return repeat
  if (tables.devices.has(device.id) || tables.devicesByHash.has(device.key.hash)) {
    throw new CloudStoreError(
      'CONFLICT',
      'Adding a device failed: its id or key is already in use. Create a new one.',
    )
  }
  appendAudit(tables, audit)
  addOnce(tables.once, once)
  const row = toDeviceRow(device)
  tables.devices.set(row.id, row)
  tables.devicesByHash.set(row.keyHash, row)
  addSorted(listIn(tables.devicesByOwner, row.owner), row)
  if (device.lastSeenAt !== null) tables.histories.set(row.id, { firstSeenAt: device.lastSeenAt, gaps: [] })
  addDeviceEvent(tables, 'device.registered', row, row.createdAt)
  return { kind: 'created' }
}

/** {@link DeviceStore.findDeviceByKeyHash}, in memory. */
export function findDeviceByKeyHash(tables: Tables, hash: string, now: string): DeviceByKey | undefined {
  const row = tables.devicesByHash.get(hash)
  return row === undefined ? undefined : toDeviceByKey(row, hash, now)
}

/** {@link DeviceStore.findDevice}, in memory. */
export function findDevice(tables: Tables, owner: string, deviceId: string): StoredDevice | undefined {
  const row = ownRow(tables, owner, deviceId)
  return row === undefined ? undefined : toStoredDevice(row)
}

/** {@link DeviceStore.writeHeartbeats}, in memory. */
export function writeHeartbeats(tables: Tables, batch: readonly HeartbeatWrite[], latest: string): void {
  for (const touch of batch) {
    const row = tables.devices.get(touch.deviceId)
    if (row === undefined) continue
    const { lastSeenAt } = toStoredDevice(row)
    const later = latestHeartbeat(lastSeenAt, touch.lastSeenAt, latest)
    if (later !== lastSeenAt) tables.offline.delete(row.id)
    addToHistory(tables, touch, lastSeenAt, latest)
    row.lastSeenMs = Date.parse(later)
    if (touch.metadata === undefined) continue
    row.metadata = JSON.stringify(mergeMetadata(parseMetadata(row.metadata), touch.metadata))
  }
}

/** {@link DeviceStore.updateDevice}, in memory. */
export function updateDevice(
  tables: Tables,
  owner: string,
  deviceId: string,
  changes: DeviceWrite,
  audit?: readonly NewAuditEntry[],
): DeviceUpdate | undefined {
  const row = ownRow(tables, owner, deviceId)
  if (row === undefined) return undefined
  const columns = changeRow(row, changes)
  if (columns !== undefined) {
    appendAudit(tables, audit)
    Object.assign(row, columns)
  }
  return { device: toStoredDevice(row), changed: columns !== undefined }
}

/** {@link DeviceStore.listDevices}, in memory. */
export function listDevices(
  tables: Tables,
  owner: string,
  filter: DeviceCondition,
  page: PageRequest,
  online: OnlineWindow,
): Page<StoredDevice> {
  const found = readPage(tables.devicesByOwner.get(owner) ?? [], page, matcherOf(filter, online))
  return { ...found, rows: found.rows.map(toStoredDevice) }
}

/** {@link DeviceStore.countDevices}, in memory. */
export function countDevices(
  tables: Tables,
  owner: string,
  filter: DeviceCondition,
  online: OnlineWindow,
): number {
  return (tables.devicesByOwner.get(owner) ?? []).filter(matcherOf(filter, online)).length
}

/** {@link DeviceStore.deleteDevice}, in memory. */
export function deleteDevice(
  tables: Tables,
  owner: string,
  deviceId: string,
  audit?: readonly NewAuditEntry[],
): { blobIds: readonly string[] } | undefined {
  const row = ownRow(tables, owner, deviceId)
  if (row === undefined) return undefined
  appendAudit(tables, audit)
  const owned = tables.devicesByOwner.get(owner) ?? []
  removeSorted(owned, row)
  if (owned.length === 0) tables.devicesByOwner.delete(owner)
  tables.devices.delete(deviceId)
  tables.offline.delete(deviceId)
  tables.histories.delete(deviceId)
  tables.devicesByHash.delete(row.keyHash)
  if (row.previousHash !== null) tables.devicesByHash.delete(row.previousHash)
  removeEnrollment(tables, deviceId)
  addDeviceEvent(tables, 'device.deleted', row)
  tables.catalogRevisions.delete(deviceId)
  const blobIds = new Set(row.catalogBlobId === null ? [] : [row.catalogBlobId])
  for (const upload of removeWork(tables.uploads, owner, deviceId)) {
    addWorkRemoved(tables, 'upload', upload)
    if (upload.attemptBlobId !== null) blobIds.add(upload.attemptBlobId)
    if (upload.fileBlobId === null) continue
    blobIds.add(upload.fileBlobId)
    tables.uploadsByBlob.delete(upload.fileBlobId)
  }
  for (const search of removeWork(tables.searches, owner, deviceId)) {
    addWorkRemoved(tables, 'search', search)
    const { resultsBlobId } = search
    if (resultsBlobId === null) continue
    blobIds.add(resultsBlobId)
    tables.resultsByBlob.delete(resultsBlobId)
  }
  noteRemovals(tables, blobIds)
  return { blobIds: [...blobIds] }
}

/** {@link DeviceStore.rotateKey}, in memory. */
export function rotateKey(
  tables: Tables,
  rotation: { owner: string; deviceId: string; key: StoredKey; previousUntil: string; now: string },
  audit?: readonly NewAuditEntry[],
): { droppedHashes: readonly string[] } | undefined {
  const row = ownRow(tables, rotation.owner, rotation.deviceId)
  if (row === undefined) return undefined
  if (tables.devicesByHash.has(rotation.key.hash)) {
    throw new CloudStoreError(
      'CONFLICT',
      'Rotating a key failed: the new key is already in use. Create a new one.',
    )
  }
  appendAudit(tables, audit)
  const { columns, droppedHashes } = rotateKeys(row, rotation)
  Object.assign(row, columns)
  for (const hash of droppedHashes) tables.devicesByHash.delete(hash)
  tables.devicesByHash.set(row.keyHash, row)
  return { droppedHashes }
}

/** {@link DeviceStore.retirePreviousKey}, in memory. */
export function retirePreviousKey(tables: Tables, deviceId: string, currentHash: string): string | undefined {
  const row = tables.devices.get(deviceId)
  if (row === undefined || row.keyHash !== currentHash || row.previousHash === null) return undefined
  const retired = row.previousHash
  row.previousHash = null
  row.previousUntil = null
  tables.devicesByHash.delete(retired)
  return retired
}

function ownRow(tables: Tables, owner: string, deviceId: string): DeviceRow | undefined {
  const row = tables.devices.get(deviceId)
  return row?.owner === owner ? row : undefined
}

/** Notes the first heartbeat of a device, and the gap that one of them ends. */
function addToHistory(
  tables: Tables,
  { deviceId, lastSeenAt, returned }: HeartbeatWrite,
  lastBefore: string | null,
  latest: string,
): void {
  const history = tables.histories.get(deviceId)
  const firstSeenAt =
    history === undefined || lastSeenAt < history.firstSeenAt ? lastSeenAt : history.firstSeenAt
  const gaps = [...(history?.gaps ?? [])]
  if (returned && lastBefore !== null && lastBefore < returned.silentBefore) {
    if (gaps.every(({ from }) => from !== lastBefore)) gaps.push({ from: lastBefore, to: returned.at })
  }
  const oldest = new Date(Date.parse(latest) - gapRetentionMs).toISOString()
  const stored = returned ? gaps.filter(({ to }) => to >= oldest).slice(-maxGaps) : gaps
  tables.histories.set(deviceId, { firstSeenAt, gaps: stored })
}

/** Tells which rows a filter matches (C29). */
function matcherOf(filter: DeviceCondition, { from, until }: OnlineWindow): (row: DeviceRow) => boolean {
  const { labels = [], type, platform, status, ids } = filter
  const text = filter.text === undefined ? undefined : foldText(filter.text)
  const [fromMs, untilMs] = [Date.parse(from), Date.parse(until)]
  const isOnline = ({ lastSeenMs }: DeviceRow) =>
    lastSeenMs !== null && lastSeenMs >= fromMs && lastSeenMs <= untilMs
  const hasLabels = (row: DeviceRow) => {
    const own = labels.length === 0 ? [] : parseLabels(row.labels)
    return labels.every((label) => own.includes(label))
  }
  return (row) =>
    (type === undefined || row.type === type) &&
    (platform === undefined || row.platform === platform) &&
    (ids === undefined || ids.includes(row.id)) &&
    (status === undefined || isOnline(row) === (status === 'online')) &&
    hasLabels(row) &&
    (text === undefined || toSearchText({ ...row, metadata: parseMetadata(row.metadata) }).includes(text))
}

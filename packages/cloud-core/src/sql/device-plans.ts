import type { Kysely } from 'kysely'
import { all, each, first, emit } from '@homeward/kit/sql'
import { mergeMetadata } from '../devices/merge-metadata.ts'
import { toSearchText } from '../devices/search-text.ts'
import type { NewAuditEntry } from '../ports/audit-store.ts'
import type {
  DeviceByKey,
  StoredDevice,
  StoredKey,
  HeartbeatWrite,
  DeviceUpdate,
  DeviceWrite,
} from '../ports/device-store.ts'
import type { CreateOutcome, IdempotencyRecord } from '../ports/idempotency-record.ts'
import type { CloudPlanParts } from './cloud-plans.ts'
import { createDeviceListPlans } from './device-list-plans.ts'
import {
  parseMetadata,
  rotateKeys,
  toDeviceByKey,
  toDeviceRow,
  toStoredDevice,
  changeRow,
} from './device-row.ts'
import { createDeviceStatements, type DeviceStatements } from './device-statements.ts'
import { compileForgetPresence } from './presence-history.ts'
import { compileDisown, compileBlobRemovals, compileDeleteWork, toBlobIds } from './removal-statements.ts'
import type { Plan } from './plan.ts'
import type { CloudTables } from './schema.ts'

/** Most searches, and most upload requests, that go in one transaction with their device. */
const deletedAtOnce = 500

/** The verbs of `DeviceStore` as plans. */
export function createDevicePlans(db: Kysely<CloudTables>, parts: CloudPlanParts) {
  const { claimOnce, appendAudit, dialect } = parts
  const statements = createDeviceStatements(db, dialect.locks)
  const touch = dialect.createTouch(db)
  const work = compileDeleteWork(db, dialect.locks, 'device_id')
  const removals = compileBlobRemovals(db)
  const disowning = compileDisown(db)
  const forgetPresence = compileForgetPresence(db)

  const { addLabels, ...changePlans } = createDeviceChangePlans(statements, parts)

  return {
    ...createKeyPlans(statements, parts),
    ...createDeviceListPlans(db, dialect),
    ...changePlans,

    *insertDevice(
      device: StoredDevice,
      once: IdempotencyRecord | undefined,
      audit?: readonly NewAuditEntry[],
    ): Plan<CreateOutcome> {
      const repeated = yield* claimOnce(once)
      if (repeated !== undefined) return repeated
      const searchText = toSearchText(device)
      yield* all(statements.insert, { ...toDeviceRow(device), searchText })
      yield* addLabels(device)
      const { id: deviceId, lastSeenAt } = device
      if (lastSeenAt !== null) yield* touch([{ deviceId, lastSeenAt }], lastSeenAt)
      yield* appendAudit(audit)
      return { kind: 'created' }
    },

    *findDeviceByKeyHash(hash: string, now: string): Plan<DeviceByKey | undefined> {
      const row = yield* first(statements.findByKeyHash, { hash })
      return row === undefined ? undefined : toDeviceByKey(row, hash, now)
    },

    *findDevice(owner: string, deviceId: string): Plan<StoredDevice | undefined> {
      const row = yield* first(statements.findOwn, { owner, deviceId })
      return row === undefined ? undefined : toStoredDevice(row)
    },

    *writeHeartbeats(batch: readonly HeartbeatWrite[], latest: string): Plan<void> {
      // In one order, so that two batches with the same devices do not wait for each other.
      const sorted = batch.toSorted((a, b) => (a.deviceId < b.deviceId ? -1 : 1))
      yield* touch(sorted, latest)
      const patches = new Map(
        sorted.flatMap(({ deviceId, metadata }) => (metadata ? [[deviceId, metadata]] : [])),
      )
      if (patches.size === 0) return
      const ids = [...patches.keys()].map((deviceId) => ({ deviceId }))
      const rows = yield* each(statements.findMetadata, ids)
      const changed = rows.flatMap(({ id, name, metadata: before }) => {
        const merged = mergeMetadata(parseMetadata(before), patches.get(id) ?? {})
        const metadata = JSON.stringify(merged)
        const searchText = toSearchText({ id, name, metadata: merged })
        return metadata === before ? [] : [{ deviceId: id, metadata, searchText }]
      })
      if (changed.length > 0) yield* each(statements.setMetadata, changed)
    },

    *deleteDevice(
      owner: string,
      deviceId: string,
      audit?: readonly NewAuditEntry[],
    ): Plan<{ blobIds: readonly string[] } | undefined> {
      const row = yield* first(statements.findToDelete, { owner, deviceId })
      if (row === undefined) return undefined
      const some = { value: deviceId, limit: deletedAtOnce }
      const searches = yield* all(work.searches, some)
      const uploads = yield* all(work.uploads, some)
      const isWhole = searches.length < deletedAtOnce && uploads.length < deletedAtOnce
      // Of one with very much the rest goes later, by `removeSome`. Labels go with the device: their foreign key cascades.
      for (const statement of isWhole ? [statements.delete] : disowning) yield* all(statement, { deviceId })
      for (const statement of forgetPresence) yield* all(statement, { deviceId })
      yield* appendAudit(audit)
      yield* emit({ topic: 'keys', hashes: [row.keyHash, row.previousHash].filter((hash) => hash !== null) })
      const blobIds = toBlobIds([...searches, ...uploads, row])
      yield* removals.note(blobIds)
      return { blobIds }
    },
  }
}

/** See {@link createDevicePlans}. */
export type DevicePlans = ReturnType<typeof createDevicePlans>

/** Those that change keys. */
function createKeyPlans(
  statements: ReturnType<typeof createDeviceStatements>,
  { appendAudit }: CloudPlanParts,
) {
  return {
    *rotateKey(
      rotation: { owner: string; deviceId: string; key: StoredKey; previousUntil: string; now: string },
      audit?: readonly NewAuditEntry[],
    ): Plan<{ droppedHashes: readonly string[] } | undefined> {
      const row = yield* first(statements.findToChange, rotation)
      if (row === undefined) return undefined
      const { columns, droppedHashes } = rotateKeys(row, rotation)
      yield* all(statements.setKeys, { deviceId: row.id, ...columns })
      yield* appendAudit(audit)
      if (droppedHashes.length > 0) yield* emit({ topic: 'keys', hashes: droppedHashes })
      return { droppedHashes }
    },

    *retirePreviousKey(deviceId: string, currentHash: string): Plan<string | undefined> {
      const row = yield* first(statements.findPreviousHash, { deviceId, currentHash })
      if (row === undefined || row.previousHash === null) return undefined
      yield* all(statements.clearPreviousKey, { deviceId })
      yield* emit({ topic: 'keys', hashes: [row.previousHash] })
      return row.previousHash
    },
  }
}

/** The verb by which users change a device, and the part of others that gives it its labels. */
function createDeviceChangePlans(statements: DeviceStatements, { appendAudit }: CloudPlanParts) {
  function* addLabels({ id, owner, createdAt, labels }: StoredDevice): Plan<void> {
    if (labels.length === 0) return
    const rows = labels.map((label) => ({ deviceId: id, owner, createdAt, label }))
    yield* each(statements.addLabel, rows)
  }

  return {
    addLabels,

    *updateDevice(
      owner: string,
      deviceId: string,
      changes: DeviceWrite,
      audit?: readonly NewAuditEntry[],
    ): Plan<DeviceUpdate | undefined> {
      const locked = yield* first(statements.findToChange, { owner, deviceId })
      // Read again: while it waited for the lock, a heartbeat may have changed what lies in another table.
      const row = locked && (yield* first(statements.findOwn, { owner, deviceId }))
      if (row === undefined) return undefined
      const columns = changeRow(row, changes)
      if (columns === undefined) return { device: toStoredDevice(row), changed: false }
      const device = toStoredDevice({ ...row, ...columns })
      yield* all(statements.setChanged, { deviceId, ...columns, searchText: toSearchText(device) })
      if (columns.labels !== row.labels) {
        yield* all(statements.deleteLabels, { deviceId })
        yield* addLabels(device)
      }
      yield* appendAudit(audit)
      return { device, changed: true }
    },
  }
}

import type { Kysely } from 'kysely'
import { all, each, first, tell } from '@homeward/kit/sql'
import { mergeMetadata } from '../devices/merge-metadata.ts'
import type { NewAuditEntry } from '../ports/audit-store.ts'
import type { DeviceByKey, StoredDevice, StoredKey, Touch } from '../ports/device-store.ts'
import type { CreateOutcome, Once } from '../ports/once.ts'
import type { Page, PageRequest } from '../ports/page.ts'
import type { CloudPlanParts } from './cloud-plans.ts'
import { parseMetadata, rotateKeys, toDeviceByKey, toDeviceRow, toStoredDevice } from './device-row.ts'
import { createDeviceStatements } from './device-statements.ts'
import { toPage } from './page.ts'
import type { Plan } from './plan.ts'
import type { CloudTables } from './schema.ts'

/** The verbs of `DeviceStore` as plans. */
export function createDevicePlans(db: Kysely<CloudTables>, parts: CloudPlanParts) {
  const { claimOnce, appendAudit, dialect } = parts
  const statements = createDeviceStatements(db, dialect.locks)
  const touch = dialect.createTouch(db)

  return {
    ...createKeyPlans(statements, parts),

    *insertDevice(
      device: StoredDevice,
      once: Once | undefined,
      audit?: readonly NewAuditEntry[],
    ): Plan<CreateOutcome> {
      const repeated = yield* claimOnce(once)
      if (repeated !== undefined) return repeated
      yield* all(statements.insert, toDeviceRow(device))
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

    *touchDevices(batch: readonly Touch[], latest: string): Plan<void> {
      // In one order, so that two batches with the same devices do not wait for each other.
      const sorted = batch.toSorted((a, b) => (a.deviceId < b.deviceId ? -1 : 1))
      yield* touch(sorted, latest)
      const patches = new Map(
        sorted.flatMap(({ deviceId, metadata }) => (metadata ? [[deviceId, metadata]] : [])),
      )
      if (patches.size === 0) return
      const ids = [...patches.keys()].map((deviceId) => ({ deviceId }))
      const rows = yield* each(statements.findMetadata, ids)
      const changed = rows.flatMap(({ deviceId, metadata }) => {
        const merged = JSON.stringify(mergeMetadata(parseMetadata(metadata), patches.get(deviceId) ?? {}))
        return merged === metadata ? [] : [{ deviceId, metadata: merged }]
      })
      if (changed.length > 0) yield* each(statements.setMetadata, changed)
    },

    *listDevices(owner: string, page: PageRequest): Plan<Page<StoredDevice>> {
      const args = {
        owner,
        createdAt: page.after?.createdAt ?? '',
        id: page.after?.id ?? '',
        limit: page.limit + 1,
      }
      const rows = yield* all(page.after === undefined ? statements.listNewest : statements.listAfter, args)
      return toPage(rows, page.limit, toStoredDevice)
    },

    *deleteDevice(
      owner: string,
      deviceId: string,
      audit?: readonly NewAuditEntry[],
    ): Plan<{ blobIds: readonly string[] } | undefined> {
      const row = yield* first(statements.findToDelete, { owner, deviceId })
      if (row === undefined) return undefined
      const uploads = yield* all(statements.deleteUploads, { deviceId })
      // Searches go with the device: their foreign key cascades.
      yield* all(statements.delete, { deviceId })
      yield* appendAudit(audit)
      yield* tell({ topic: 'keys', hashes: [row.keyHash, row.previousHash].filter((hash) => hash !== null) })
      const blobIds = uploads.flatMap(({ attemptBlobId, fileBlobId }) => [attemptBlobId, fileBlobId])
      return { blobIds: [...new Set(blobIds.filter((id) => id !== null))] }
    },
  }
}

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
      const row = yield* first(statements.findToRotate, rotation)
      if (row === undefined) return undefined
      const { columns, droppedHashes } = rotateKeys(row, rotation)
      yield* all(statements.setKeys, { deviceId: row.id, ...columns })
      yield* appendAudit(audit)
      if (droppedHashes.length > 0) yield* tell({ topic: 'keys', hashes: droppedHashes })
      return { droppedHashes }
    },

    *retirePreviousKey(deviceId: string, currentHash: string): Plan<string | undefined> {
      const row = yield* first(statements.findPreviousHash, { deviceId, currentHash })
      if (row === undefined || row.previousHash === null) return undefined
      yield* all(statements.clearPreviousKey, { deviceId })
      yield* tell({ topic: 'keys', hashes: [row.previousHash] })
      return row.previousHash
    },
  }
}

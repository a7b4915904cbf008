import type { Kysely } from 'kysely'
import { mergeMetadata } from '../devices/merge-metadata.ts'
import type { DeviceByKey, StoredDevice, StoredKey, Touch } from '../ports/device-store.ts'
import type { CreateOutcome, Once } from '../ports/once.ts'
import type { Page, PageRequest } from '../ports/page.ts'
import type { ClaimOnce } from './creation-plans.ts'
import type { DeviceRow } from './device-row.ts'
import { parseMetadata, rotateKeys, toDeviceByKey, toDeviceRow, toStoredDevice } from './device-row.ts'
import { createDeviceStatements } from './device-statements.ts'
import { toPage } from './page.ts'
import type { Plan } from './plan.ts'
import { all, each, first } from './plan.ts'
import type { CloudTables } from './schema.ts'

/** The verbs of `DeviceStore` as plans. */
export function createDevicePlans(db: Kysely<CloudTables>, claimOnce: ClaimOnce) {
  const statements = createDeviceStatements(db)

  function* findOwn(owner: string, deviceId: string): Plan<DeviceRow | undefined> {
    return yield* first(statements.findOwn, { owner, deviceId })
  }

  return {
    *insertDevice(device: StoredDevice, once: Once | undefined): Plan<CreateOutcome> {
      const repeated = yield* claimOnce(once)
      if (repeated !== undefined) return repeated
      yield* all(statements.insert, toDeviceRow(device))
      return { kind: 'created' }
    },

    *findDeviceByKeyHash(hash: string, now: string): Plan<DeviceByKey | undefined> {
      const row = yield* first(statements.findByKeyHash, { hash })
      return row === undefined ? undefined : toDeviceByKey(row, hash, now)
    },

    *findDevice(owner: string, deviceId: string): Plan<StoredDevice | undefined> {
      const row = yield* findOwn(owner, deviceId)
      return row === undefined ? undefined : toStoredDevice(row)
    },

    *touchDevices(batch: readonly Touch[]): Plan<void> {
      if (batch.length > 0) yield* each(statements.touch, batch)
      for (const { deviceId, metadata } of batch) {
        if (metadata === undefined) continue
        const row = yield* first(statements.findMetadata, { deviceId })
        if (row === undefined) continue
        const merged = JSON.stringify(mergeMetadata(parseMetadata(row.metadata), metadata))
        if (merged !== row.metadata) yield* all(statements.setMetadata, { deviceId, metadata: merged })
      }
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

    *deleteDevice(owner: string, deviceId: string): Plan<{ blobIds: readonly string[] } | undefined> {
      const blobs = yield* all(statements.listBlobs, { owner, deviceId })
      // Searches and upload requests go with the device: their foreign keys cascade.
      const deleted = yield* first(statements.delete, { owner, deviceId })
      return deleted === undefined ? undefined : { blobIds: blobs.map((blob) => blob.id) }
    },

    *rotateKey(rotation: {
      owner: string
      deviceId: string
      key: StoredKey
      previousUntil: string
      now: string
    }): Plan<{ droppedHashes: readonly string[] } | undefined> {
      const row = yield* findOwn(rotation.owner, rotation.deviceId)
      if (row === undefined) return undefined
      const { columns, droppedHashes } = rotateKeys(row, rotation)
      yield* all(statements.setKeys, { deviceId: row.id, ...columns })
      return { droppedHashes }
    },

    *retirePreviousKey(deviceId: string, currentHash: string): Plan<string | undefined> {
      const row = yield* first(statements.findPreviousHash, { deviceId, currentHash })
      if (row === undefined || row.previousHash === null) return undefined
      yield* all(statements.clearPreviousKey, { deviceId })
      return row.previousHash
    },
  }
}

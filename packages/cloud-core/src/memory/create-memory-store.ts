import { CloudStoreError } from '../ports/cloud-store-error.ts'
import type { CloudStore, PendingCounts } from '../ports/cloud-store.ts'
import * as audit from './audit-verbs.ts'
import { isSearchPending } from '../sql/search-row.ts'
import { uploadStatus } from '../sql/upload-row.ts'
import * as devices from './device-verbs.ts'
import * as searches from './search-verbs.ts'
import type { Tables } from './tables.ts'
import { createTables } from './tables.ts'
import * as uploads from './upload-verbs.ts'

/**
 * Keeps everything in this process's memory: for tests, trials and hosts that need nothing after a restart.
 * Uses no Node built-in, so it runs wherever JavaScript does.
 *
 * @example
 * const store = createMemoryStore()
 */
export function createMemoryStore(): CloudStore {
  let tables: Tables | undefined = createTables()

  // A verb runs to its end without waiting for anything: that is what makes it atomic here.
  const run = async <Result>(
    signal: AbortSignal | undefined,
    verb: (tables: Tables) => Result,
  ): Promise<Result> => {
    signal?.throwIfAborted()
    if (tables === undefined) {
      throw new CloudStoreError('CLOSED', 'Using the memory store failed: it was closed. Create another one.')
    }
    return verb(tables)
  }

  return {
    insertDevice: (device, once, entries, signal) =>
      run(signal, (all) => devices.insertDevice(all, device, once, entries)),
    findDeviceByKeyHash: (hash, now, signal) =>
      run(signal, (all) => devices.findDeviceByKeyHash(all, hash, now)),
    findDevice: (owner, deviceId, signal) => run(signal, (all) => devices.findDevice(all, owner, deviceId)),
    touchDevices: (batch, latest, signal) => run(signal, (all) => devices.touchDevices(all, batch, latest)),
    listDevices: (owner, page, signal) => run(signal, (all) => devices.listDevices(all, owner, page)),
    deleteDevice: (owner, deviceId, entries, signal) =>
      run(signal, (all) => devices.deleteDevice(all, owner, deviceId, entries)),
    rotateKey: (rotation, entries, signal) => run(signal, (all) => devices.rotateKey(all, rotation, entries)),
    retirePreviousKey: (deviceId, currentHash, signal) =>
      run(signal, (all) => devices.retirePreviousKey(all, deviceId, currentHash)),

    insertSearches: (owner, batch, once, entries, signal) =>
      run(signal, (all) => searches.insertSearches(all, { owner, searches: batch, once, audit: entries })),
    listPendingSearches: (deviceId, limit, now, signal) =>
      run(signal, (all) => searches.listPendingSearches(all, deviceId, limit, now)),
    settleSearch: (report, signal) => run(signal, (all) => searches.settleSearch(all, report)),
    listSearches: (owner, filter, page, now, signal) =>
      run(signal, (all) => searches.listSearches(all, { owner, filter, page, now })),

    insertUploads: (owner, batch, once, entries, signal) =>
      run(signal, (all) => uploads.insertUploads(all, { owner, uploads: batch, once, audit: entries })),
    listPendingUploads: (deviceId, limit, now, signal) =>
      run(signal, (all) => uploads.listPendingUploads(all, deviceId, limit, now)),
    leaseUpload: (lease, signal) => run(signal, (all) => uploads.leaseUpload(all, lease)),
    settleUpload: (report, signal) => run(signal, (all) => uploads.settleUpload(all, report)),
    cancelUpload: (owner, id, now, entries, signal) =>
      run(signal, (all) => uploads.cancelUpload(all, { owner, id, now, audit: entries })),
    listUploads: (owner, filter, page, now, signal) =>
      run(signal, (all) => uploads.listUploads(all, { owner, filter, page, now })),
    filterUnusedBlobs: (blobIds, signal) => run(signal, (all) => uploads.filterUnusedBlobs(all, blobIds)),
    findFile: (owner, blobId, signal) => run(signal, (all) => uploads.findFile(all, owner, blobId)),

    appendAudit: (entries, signal) => run(signal, (all) => audit.appendAudit(all, entries)),
    listAudit: (userId, filter, page, now, signal) =>
      run(signal, (all) => audit.listAudit(all, { userId, filter, page, now })),

    countPending: (deviceId, now, signal) => run(signal, (all) => countPending(all, deviceId, now)),
    close: async () => {
      tables = undefined
    },
  }
}

function countPending(tables: Tables, deviceId: string, now: string): PendingCounts {
  let searchCount = 0
  let uploadCount = 0
  for (const row of tables.searches.openByDevice.get(deviceId) ?? [])
    if (isSearchPending(row, now)) searchCount += 1
  for (const row of tables.uploads.openByDevice.get(deviceId) ?? []) {
    if (uploadStatus(row, now) === 'pending') uploadCount += 1
  }
  return { searches: searchCount, uploads: uploadCount }
}

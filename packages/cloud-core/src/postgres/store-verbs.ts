import type { CloudStore } from '../ports/cloud-store.ts'
import type { CloudPlans } from '../sql/cloud-plans.ts'
import type { Plan } from '../sql/plan.ts'
import type { createFleetReads } from './fleet-reads.ts'

type Signal = AbortSignal | undefined

/** How verbs are carried out. */
export interface VerbParts {
  readonly plans: CloudPlans
  readonly fleet: ReturnType<typeof createFleetReads>
  read<Result>(plan: () => Plan<Result>, signal: Signal): Promise<Result>
  /** In a transaction. */
  write<Result>(plan: () => Plan<Result>, signal: Signal): Promise<Result>
  /** One statement that decides and writes, about the work with this id. */
  report<Result>(id: string, plan: () => Plan<Result>, signal: Signal): Promise<Result>
  /** Anything else. */
  start<Result>(signal: Signal, call: () => Promise<Result>): Promise<Result>
}

/** Every verb of a store but those about the store itself. */
export function createStoreVerbs(parts: VerbParts): Omit<CloudStore, 'subscribe' | 'close'> {
  return { ...createDeviceVerbs(parts), ...createSearchVerbs(parts), ...createUploadVerbs(parts) }
}

function createDeviceVerbs({ plans, fleet, read, write, start }: VerbParts) {
  return {
    insertDevice: (device, once, audit, signal) =>
      write(() => plans.insertDevice(device, once, audit), signal),
    findDeviceByKeyHash: (hash, now, signal) =>
      start(signal, () => fleet.findDeviceByKeyHash(hash, now, signal)),
    findDevice: (owner, deviceId, signal) => read(() => plans.findDevice(owner, deviceId), signal),
    touchDevices: async (batch, latest, signal) => {
      if (batch.length > 0) return write(() => plans.touchDevices(batch, latest), signal)
    },
    listDevices: (owner, page, signal) => read(() => plans.listDevices(owner, page), signal),
    deleteDevice: (owner, deviceId, audit, signal) =>
      write(() => plans.deleteDevice(owner, deviceId, audit), signal),
    rotateKey: (rotation, audit, signal) => write(() => plans.rotateKey(rotation, audit), signal),
    retirePreviousKey: (deviceId, hash, signal) =>
      write(() => plans.retirePreviousKey(deviceId, hash), signal),
    countPending: (deviceId, now, signal) => start(signal, () => fleet.countPending(deviceId, now, signal)),

    appendAudit: (entries, signal) => write(() => plans.appendAudit(entries), signal),
    listAudit: (userId, filter, page, now, signal) =>
      read(() => plans.listAudit(userId, filter, page, now), signal),
  } satisfies Partial<CloudStore>
}

function createSearchVerbs({ plans, fleet, read, write, report, start }: VerbParts) {
  return {
    insertSearches: (owner, batch, once, audit, signal) =>
      write(() => plans.insertSearches(owner, batch, once, audit), signal),
    listPendingSearches: (deviceId, limit, now, signal) =>
      start(signal, () => fleet.listPendingSearches(deviceId, limit, now, signal)),
    settleSearch: (settled, signal) => report(settled.id, () => plans.settleSearch(settled), signal),
    listSearches: (owner, filter, page, now, signal) =>
      read(() => plans.listSearches(owner, filter, page, now), signal),
  } satisfies Partial<CloudStore>
}

function createUploadVerbs({ plans, fleet, read, write, report, start }: VerbParts) {
  return {
    insertUploads: (owner, batch, once, audit, signal) =>
      write(() => plans.insertUploads(owner, batch, once, audit), signal),
    listPendingUploads: (deviceId, limit, now, signal) =>
      start(signal, () => fleet.listPendingUploads(deviceId, limit, now, signal)),
    leaseUpload: (lease, signal) => write(() => plans.leaseUpload(lease), signal),
    settleUpload: (settled, signal) => report(settled.id, () => plans.settleUpload(settled), signal),
    // Its entry of the audit has to go with it, so it is a transaction.
    cancelUpload: (owner, id, now, audit, signal) =>
      write(() => plans.cancelUpload(owner, id, now, audit), signal),
    listUploads: (owner, filter, page, now, signal) =>
      read(() => plans.listUploads(owner, filter, page, now), signal),
    findFile: (owner, blobId, signal) => read(() => plans.findFile(owner, blobId), signal),
    filterUnusedBlobs: (blobIds, signal) => read(() => plans.filterUnusedBlobs(blobIds), signal),
  } satisfies Partial<CloudStore>
}

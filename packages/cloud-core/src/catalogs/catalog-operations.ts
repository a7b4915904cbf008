import type { ReplyOf } from '@homeward/contract'
import { catalogLimits, type CatalogHead, type DeviceCloudOperations } from '@homeward/contract/device-cloud'
import { checkContentLength, HttpError, type RequestView } from '@homeward/contract/handler'
import { toBase64Url } from '@homeward/kit'
import type { AuditLog } from '../audit/audit-log.ts'
import type { CloudContext, UserCall } from '../context/cloud-context.ts'
import { firstMs, toTimestamp } from '../context/time.ts'
import type { StoredDevice } from '../ports/device-store.ts'
import type { Cleaning } from '../retention/cleaning.ts'
import { checkCatalog } from './check-catalog.ts'

type Reply<Id extends keyof DeviceCloudOperations> = ReplyOf<DeviceCloudOperations[Id]>

/** What the operations on catalogs share. */
interface CatalogContext extends CloudContext {
  readonly audit: AuditLog
  readonly cleaning: Pick<Cleaning, 'removeFiles'>
  /** Files that a crash may leave without a row: see `LeftoverFiles`. */
  readonly leftovers: { noteUpload(): void }
}

const deviceNotFound = () => new HttpError(404, { error: 'Device not found' })

/** How a device leaves the list of its files, and takes it back. */
export function createCatalogDelivery(context: CatalogContext) {
  const { store, blobs, cleaning, leftovers, quotas, now, emit } = context

  async function put(device: StoredDevice, request: RequestView) {
    const blobId = toBase64Url(context.randomBytes(32))
    const checked = checkCatalog(request.body())
    leftovers.noteUpload()
    const { size } = await blobs.put({ id: blobId, fileName: 'catalog.ndjson.gz', content: checked.content })
    const { asOf, files } = checked.head()
    // a clock that is ahead would keep it for longer than `resultsDays`
    return {
      blobId,
      asOf: toTimestamp(Math.max(firstMs, Math.min(Date.parse(asOf), now()))),
      files,
      bytes: size,
    }
  }

  return {
    /** Stores a catalog in place of the old one, whole or not at all. */
    async sendCatalog(device: StoredDevice, request: RequestView): Promise<Reply<'sendCatalog'>> {
      const { id: deviceId, owner: userId } = device
      checkContentLength(request, 'The catalog', catalogLimits.compressedBytes)
      const revision = await store.readCatalogRevision(deviceId)
      if (revision === undefined) throw deviceNotFound()
      const replaced = (await store.findDevice(userId, deviceId))?.catalog?.bytes
      await quotas.assertRoom(userId, 'storedBytes', 'Storing the catalog', replaced)
      const catalog = await put(device, request)
      const outcome = await store.replaceCatalog({ deviceId, revision, catalog })
      if (outcome.kind !== 'replaced') {
        await blobs.delete(catalog.blobId).catch(context.onError)
        throw outcome.kind === 'unknown' ? deviceNotFound() : overtaken()
      }
      await cleaning.removeFiles(outcome.blobIds)
      emit('device:updated', { deviceId, userId })
      const { asOf, files }: CatalogHead = catalog
      return { success: true, asOf, files }
    },

    /** Removes the catalog of a device, also one that is on its way. */
    async removeCatalog({ id: deviceId, owner: userId }: StoredDevice): Promise<Reply<'removeCatalog'>> {
      const removed = await store.removeCatalog(userId, deviceId)
      await cleaning.removeFiles(removed?.blobIds ?? [])
      if (removed && removed.blobIds.length > 0) emit('device:updated', { deviceId, userId })
      return { success: true }
    },
  }
}

const overtaken = () =>
  new HttpError(409, {
    error: 'Conflict',
    message: 'The catalog was replaced or removed while this one arrived. Send it again if it is the newest.',
  })

/** How a user removes the catalog of a device. */
export function createCatalogRemoval(context: Pick<CatalogContext, 'store' | 'audit' | 'cleaning' | 'emit'>) {
  const { store, audit, cleaning, emit } = context
  return {
    /** Removes the list of files that a device left. Without one, nothing is recorded. */
    async deleteDeviceCatalog(call: UserCall, deviceId: string): Promise<Reply<'deleteDeviceCatalog'>> {
      const { userId } = call
      const entries = [audit.entryOf(call, 'catalog:removed', { deviceId })]
      const removed = await store.removeCatalog(userId, deviceId, entries)
      if (removed === undefined) throw deviceNotFound()
      if (removed.blobIds.length === 0) return { success: true }
      await cleaning.removeFiles(removed.blobIds)
      emit('device:updated', { deviceId, userId })
      audit.tell(entries)
      return { success: true }
    },
  }
}

import type { ReplyOf } from '@homeward/contract'
import type { DeviceCloudOperations } from '@homeward/contract/device-cloud'
import type { CloudContext } from '../cloud-context.ts'
import type { StoredDevice } from '../ports/device-store.ts'

type Reply<Id extends keyof DeviceCloudOperations> = ReplyOf<DeviceCloudOperations[Id]>

const pollLimit = 20

/** How devices learn of upload requests. */
export function createUploadDelivery({ store, polls, clock }: CloudContext) {
  return {
    /** Files that a device is asked for; held up to `waitSeconds` while there are none (C4, C22). */
    async listPendingUploads(
      device: StoredDevice,
      waitSeconds: number | undefined,
      signal: () => AbortSignal,
    ): Promise<Reply<'listPendingUploads'>> {
      const read = () => store.listPendingUploads(device.id, pollLimit, clock().at)
      const rows = waitSeconds
        ? await polls.hold(device.id, waitSeconds * 1000, signal(), read)
        : await read()
      return { requests: [...rows] }
    },
  }
}

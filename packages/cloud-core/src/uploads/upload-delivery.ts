import type { ReplyOf } from '@homeward/contract'
import type { DeviceCloudOperations } from '@homeward/contract/device-cloud'
import type { UploadContext } from './upload-context.ts'
import { readPending, withActor, type PendingPoll } from '../delivery/read-pending.ts'

type Reply<Id extends keyof DeviceCloudOperations> = ReplyOf<DeviceCloudOperations[Id]>

const pollLimit = 20

/** How devices learn of upload requests. */
export function createUploadDelivery({ store, polls, clock }: UploadContext) {
  return {
    /** Files that a device is asked for; held while there are none, if it may be (C4, C22). */
    async listPendingUploads(poll: PendingPoll): Promise<Reply<'listPendingUploads'>> {
      const read = () => store.listPendingUploads(poll.device.id, pollLimit, clock().at)
      return { requests: (await readPending(polls, poll, read)).map(withActor) }
    },
  }
}

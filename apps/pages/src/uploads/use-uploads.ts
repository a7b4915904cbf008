import type { ReplyOf } from '@homeward/contract'
import type { DeviceCloudOperations, Upload } from '@homeward/contract/device-cloud'
import { useCloudPages } from '../api/cloud.ts'
import { untilNextRead } from '../api/device-events.ts'

type Reply = ReplyOf<DeviceCloudOperations['listUploads']>

/** Which upload requests are looked for; what is left out does not matter. */
export interface UploadFilter {
  readonly requestId?: string
  readonly deviceId?: string
  readonly status?: Upload['status']
  /** Words of the name or the path. */
  readonly query?: string
}

const pageSize = '100'
const openMs = 1500
const settledMs = 10_000

const uploadsOf = ({ results }: Reply) => results
const intervalFor = ([newest]: readonly Reply[]) =>
  newest?.results.some(isOpen) === true ? openMs : untilNextRead(settledMs)

/** Upload requests, newest first; read again soon while one of the newest is open. */
export function useUploads(filter: UploadFilter) {
  return useCloudPages(
    'listUploads',
    { query: { ...filter, limit: pageSize } },
    { select: uploadsOf, refetchInterval: intervalFor, keepPrevious: true },
  )
}

/** Whether something may still happen to it. */
export function isOpen({ status }: Upload): boolean {
  return status === 'pending' || status === 'uploading'
}

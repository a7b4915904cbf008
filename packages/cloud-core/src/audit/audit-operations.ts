import type { QueryOf, ReplyOf } from '@homeward/contract'
import type { DeviceCloudOperations } from '@homeward/contract/device-cloud'
import { toTimestamp } from '../context/time.ts'
import type { CloudContext, UserCall } from '../context/cloud-context.ts'
import { nextCursorOf, toPageRequest } from '../paging/cursor.ts'
import { toUtc } from '../context/time.ts'

/** How users read what they did. */
export function createAuditOperations({ store, now }: CloudContext) {
  return {
    /** Lists what a user did and tried to do, newest first (C11, C24). */
    async listAudit(
      call: UserCall,
      query: QueryOf<DeviceCloudOperations['listAudit']> = {},
    ): Promise<ReplyOf<DeviceCloudOperations['listAudit']>> {
      const { action, deviceId, actor, from, to } = query
      const filter = {
        ...(action && { action }),
        ...(deviceId && { deviceId }),
        ...(actor && { actor }),
        ...(from && { from: toUtc(from) }),
        ...(to && { to: toUtc(to) }),
      }
      const page = await store.listAudit(call.userId, filter, toPageRequest(query, 100), toTimestamp(now()))
      return { entries: [...page.rows], ...nextCursorOf(page) }
    },
  }
}

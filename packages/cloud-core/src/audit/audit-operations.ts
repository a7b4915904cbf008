import type { QueryOf, ReplyOf } from '@homeward/contract'
import type { DeviceCloudOperations } from '@homeward/contract/device-cloud'
import { validationError } from '@homeward/contract/handler'
import { toTimestamp, type CloudContext, type UserCall } from '../cloud-context.ts'
import { nextCursorOf, toPageRequest } from '../paging/cursor.ts'

/** How users read what they did. */
export function createAuditOperations({ store, now }: CloudContext) {
  return {
    /** Lists what a user did and tried to do, newest first (C11, C24). */
    async listAudit(
      call: UserCall,
      query: QueryOf<DeviceCloudOperations['listAudit']> = {},
    ): Promise<ReplyOf<DeviceCloudOperations['listAudit']>> {
      const { action, deviceId, from, to } = query
      const filter = {
        ...(action && { action }),
        ...(deviceId && { deviceId }),
        ...(from && { from: toUtc('from', from) }),
        ...(to && { to: toUtc('to', to) }),
      }
      const page = await store.listAudit(call.userId, filter, toPageRequest(query, 100), toTimestamp(now()))
      return { entries: [...page.rows], ...nextCursorOf(page) }
    },
  }
}

/** Behind it years have five digits, and text no longer sorts like time. */
const lastMs = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

/** A moment as stored ones are written, to compare it with them. What is finer than a millisecond is dropped. */
function toUtc(field: string, moment: string): string {
  const ms = Date.parse(moment)
  // Calls of the host's own code come here unchecked.
  if (Number.isNaN(ms)) throw validationError(`${field}: is not a moment. Send ISO 8601 with an offset.`)
  return toTimestamp(Math.min(ms, lastMs))
}

import type { QueryOf, ReplyOf } from '@homeward/contract'
import type { DeviceCloudOperations } from '@homeward/contract/device-cloud'
import { toTimestamp } from '../context/time.ts'
import type { CloudContext, UserCall } from '../context/cloud-context.ts'
import { nextCursorOf, toPageRequest } from '../paging/cursor.ts'
import { toUtc } from '../context/time.ts'
import type { StoredDevice } from '../ports/device-store.ts'

const dayMs = 24 * 60 * 60 * 1000

/** Days that requests are stored after their end. */
interface StoredDays {
  readonly searchesDays?: number | 'forever'
  readonly filesDays?: number | 'forever'
}

/** How a device reads what it was asked for, whose log can then be compared (C30). */
export function createOwnAudit({
  store,
  clock,
  retention = {},
}: Pick<CloudContext, 'store' | 'clock'> & { readonly retention: StoredDays | undefined }) {
  const { searchesDays = 'forever', filesDays = 'forever' } = retention
  const days = [searchesDays, filesDays].filter((each) => each !== 'forever')
  return {
    /** Lists what one device was asked for, newest first (C11). */
    async listOwnAudit(
      { id: deviceId }: StoredDevice,
      query: QueryOf<DeviceCloudOperations['listOwnAudit']>,
    ): Promise<ReplyOf<DeviceCloudOperations['listOwnAudit']>> {
      const { ms: nowMs, at } = clock()
      const page = await store.listAsked(deviceId, toPageRequest(query, 100), at)
      const entries = page.rows.map(({ id, kind, createdAt, actor = 'owner', unanswered }) => ({
        id,
        at: createdAt,
        actor,
        action: `${kind}:created` as const,
        requestId: id,
        ...(unanswered && { unanswered }),
      }))
      const known = days.length > 0 && { knownSince: toTimestamp(nowMs - Math.min(...days) * dayMs) }
      return { entries, ...known, ...nextCursorOf(page) }
    },
  }
}

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

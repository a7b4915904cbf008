import type { QueryOf, ReplyOf } from '@homeward/contract'
import type { DeviceChanges, DeviceCloudOperations, DeviceFilter } from '@homeward/contract/device-cloud'
import type { UserCall } from '../context/cloud-context.ts'
import type { DeviceContext } from './device-context.ts'
import { nextCursorOf, toPageRequest } from '../paging/cursor.ts'
import type { StoredDevice } from '../ports/device-store.ts'
import { createDeviceFinder, deviceNotFound } from './find-devices.ts'
import { toDevice } from './presence.ts'

type Reply<Id extends keyof DeviceCloudOperations> = ReplyOf<DeviceCloudOperations[Id]>
type ListQuery = QueryOf<DeviceCloudOperations['listDevices']>

/** How users find their devices, and change what they find them by (C29). */
export function createDeviceQueries(context: DeviceContext) {
  const { store, heartbeats, now, emit, audit, onlineWindowMs } = context
  const finder = createDeviceFinder(context)
  const show = (device: StoredDevice) => toDevice(heartbeats.readThrough(device), now(), onlineWindowMs)

  async function update(
    call: UserCall,
    deviceId: string,
    changes: DeviceChanges,
  ): Promise<Reply<'updateDevice'>> {
    const { name } = changes
    const entries = [audit.entryOf(call, 'device:updated', { deviceId, ...(name && { name }) })]
    const updated = await store.updateDevice(call.userId, deviceId, changes, entries)
    if (!updated) throw deviceNotFound()
    if (updated.changed) {
      emit('device:updated', { deviceId, userId: call.userId })
      audit.tell(entries)
    }
    return { device: show(updated.device) }
  }

  return {
    /** Lists a user's devices, or those that a filter matches, newest first (C11, C29). */
    async listDevices(call: UserCall, query: ListQuery = {}): Promise<Reply<'listDevices'>> {
      const filter = toFilter(query)
      const list = nameOf(filter)
      const request = toPageRequest(query, 1000, list)
      const page = await finder.list(call.userId, filter, request)
      const total = query.count ? { total: await finder.count(call.userId, filter) } : {}
      const nowMs = now()
      const devices = page.rows.map((row) => toDevice(row, nowMs, onlineWindowMs))
      return { devices, ...nextCursorOf(page, list), ...total }
    },

    /** Gives one device of a user (C29). */
    async getDevice(call: UserCall, deviceId: string): Promise<Reply<'getDevice'>> {
      const device = await store.findDevice(call.userId, deviceId)
      if (!device) throw deviceNotFound()
      return { device: show(device) }
    },

    /** Changes a device's name, type or labels (C29). Changing nothing is no act: no audit, no event. */
    updateDevice: update,
  }
}

function toFilter({ label, type, platform, status, text }: ListQuery): DeviceFilter {
  return {
    ...(label && label.length > 0 && { labels: label }),
    ...(type !== undefined && { type }),
    ...(platform !== undefined && { platform }),
    ...(status !== undefined && { status }),
    ...(text !== undefined && { text }),
  }
}

/** The same text for the same filter, whatever the order of its labels; empty for none. */
function nameOf(filter: DeviceFilter): string {
  const { labels, type, platform, status, text } = filter
  if (Object.keys(filter).length === 0) return ''
  return JSON.stringify([labels?.toSorted(), type, platform, status, text])
}

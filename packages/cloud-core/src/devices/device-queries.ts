import type { BodyOf, QueryOf, ReplyOf } from '@homeward/contract'
import type { DeviceChanges, DeviceCloudOperations, DeviceFilter } from '@homeward/contract/device-cloud'
import { validationError } from '@homeward/contract/handler'
import type { UserCall } from '../context/cloud-context.ts'
import type { DeviceContext } from './device-context.ts'
import { nextCursorOf, toPageRequest } from '../paging/cursor.ts'
import type { StoredDevice } from '../ports/device-store.ts'
import type { PageRequest } from '../ports/page.ts'
import { createDeviceFinder, deviceNotFound } from './find-devices.ts'
import { toDevice } from './presence.ts'

type Reply<Id extends keyof DeviceCloudOperations> = ReplyOf<DeviceCloudOperations[Id]>
type Bulk = BodyOf<DeviceCloudOperations['updateDevices']>
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

  /** The devices that a body names, all of them. @throws {HttpError} 404 if one of its ids is unknown */
  async function* targetsOf(
    userId: string,
    { deviceIds, filter = {} }: Bulk,
  ): AsyncGenerator<StoredDevice[]> {
    if (deviceIds === undefined) {
      let after: PageRequest['after']
      do {
        const page = await finder.list(userId, filter, { limit: 1000, ...(after && { after }) })
        yield [...page.rows]
        after = page.next
      } while (after !== undefined)
      return
    }
    const found = await inTurns([...new Set(deviceIds)], (id) => store.findDevice(userId, id))
    const devices = found.filter((device) => device !== undefined)
    if (devices.length < found.length) throw deviceNotFound()
    yield devices
  }

  async function updateAll(call: UserCall, body: Bulk): Promise<Reply<'updateDevices'>> {
    const { userId } = call
    const write = { addLabels: body.labels.add, removeLabels: body.labels.remove }
    const clash = write.addLabels.find((label) => write.removeLabels.includes(label))
    if (clash !== undefined) throw validationError(`labels.remove: "${clash}" is also in labels.add`)
    const meant: string[] = []
    // Looked at before the first of them changes: a body that cannot be carried out changes nothing.
    for await (const devices of targetsOf(userId, body)) {
      for (const { id, labels } of devices) {
        const after = new Set(
          [...labels, ...write.addLabels].filter((label) => !write.removeLabels.includes(label)),
        )
        if (after.size > 32) throw validationError(`labels.add: device ${id} would have more than 32 labels`)
        if (after.size !== labels.length || write.addLabels.some((label) => !labels.includes(label)))
          meant.push(id)
      }
    }
    if (meant.length === 0) return { changed: 0 }
    const audited = {
      count: meant.length,
      ids: meant.slice(0, 100),
      ...(body.filter && { filter: body.filter }),
    }
    await audit.record([audit.entryOf(call, 'device:updated', { devices: audited })])
    const updated = await inTurns(meant, (id) => store.updateDevice(userId, id, write))
    const changed = updated.flatMap((each) => (each?.changed ? [each.device.id] : []))
    for (const deviceId of changed) emit('device:updated', { deviceId, userId })
    return { changed: changed.length }
  }

  return {
    /** Adds and removes labels of many devices (C29). */
    updateDevices: updateAll,

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

/** Changes that are made at the same time. */
const atOnce = 10

/** Does something with each, some at a time. */
async function inTurns<Item, Result>(
  items: readonly Item[],
  act: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  for (let start = 0; start < items.length; start += atOnce)
    results.push(...(await Promise.all(items.slice(start, start + atOnce).map(act))))
  return results
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

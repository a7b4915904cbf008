import { HttpError } from '@homeward/contract/handler'
import type { DeviceContext } from './device-context.ts'
import type { DeviceCondition, StoredDevice } from '../ports/device-store.ts'
import type { Page, PageRequest } from '../ports/page.ts'
import { onlineWindowAt, statusAt } from './presence.ts'

/** Devices of an owner by a filter, as they stand now. */
export interface DeviceFinder {
  /** One page, newest first. It may hold fewer devices than its limit although there are more. */
  list(owner: string, filter: DeviceCondition, page: PageRequest): Promise<Page<StoredDevice>>
  count(owner: string, filter: DeviceCondition): Promise<number>
}

/** Finds devices as the storage and the heartbeats that are still on their way to it tell of them (C29). */
export function createDeviceFinder(
  context: Pick<DeviceContext, 'store' | 'heartbeats' | 'now' | 'onlineWindowMs'>,
): DeviceFinder {
  const { store, heartbeats, now, onlineWindowMs } = context

  /** The storage compares: what this process knows already has to be there. */
  async function prepare({ status, text }: DeviceCondition): Promise<void> {
    if (status !== undefined || text !== undefined) await heartbeats.flush()
  }

  return {
    async list(owner, filter, page) {
      await prepare(filter)
      const nowMs = now()
      const found = await store.listDevices(owner, filter, page, onlineWindowAt(nowMs, onlineWindowMs))
      const rows = found.rows.map((row) => heartbeats.readThrough(row))
      const { status } = filter
      if (status === undefined) return { ...found, rows }
      // A heartbeat may have come since: no list by status shows a device with the other one.
      const isMeant = (row: StoredDevice) => statusAt(row.lastSeenAt, nowMs, onlineWindowMs) === status
      return { ...found, rows: rows.filter(isMeant) }
    },
    async count(owner, filter) {
      await prepare(filter)
      return store.countDevices(owner, filter, onlineWindowAt(now(), onlineWindowMs))
    },
  }
}

/** 404 for a device that does not exist, or not for this user. */
export const deviceNotFound = () => new HttpError(404, { error: 'Device not found' })

import type { DeviceAccess } from '@homeward/contract/device-cloud'
import type { CloudStore } from '../ports/cloud-store.ts'
import type { StoredDevice } from '../ports/device-store.ts'
import { isReached, narrow } from './device-access.ts'

/** Devices that are looked for in one read. */
const atOnce = 1000
const maxDepartures = 10_000
/** No filter by status is made here. */
const noTime = new Date(0).toISOString()

/** Devices that were deleted by this process: what is said of them afterwards is for those who saw them. */
export interface Departures {
  note(device: StoredDevice): void
  find(owner: string, deviceId: string): StoredDevice | undefined
}

/** Remembers the last 10,000 devices that were deleted. */
export function createDepartures(): Departures {
  const devices = new Map<string, StoredDevice>()
  return {
    note(device) {
      if (devices.size >= maxDepartures) devices.delete(devices.keys().next().value!)
      devices.set(device.id, device)
    },
    find(owner, deviceId) {
      const device = devices.get(deviceId)
      return device?.owner === owner ? device : undefined
    },
  }
}

/** Tells which devices of an owner an access reaches now. */
export function createSight(
  store: Pick<CloudStore, 'listDevices'>,
  owner: string,
  access: DeviceAccess,
  departures: Departures,
) {
  /** Those of some devices that are reached. */
  async function reached(deviceIds: readonly string[]): Promise<ReadonlySet<string>> {
    const wanted = [...new Set(deviceIds)]
    const found = new Set<string>()
    for (let start = 0; start < wanted.length; start += atOnce) {
      const condition = narrow({ ids: wanted.slice(start, start + atOnce) }, access)
      const page = { limit: atOnce }
      const { rows } = await store.listDevices(owner, condition, page, { from: noTime, until: noTime })
      for (const { id } of rows) found.add(id)
    }
    return found
  }

  const reaches = async (deviceId: string) => (await reached([deviceId])).has(deviceId)

  return {
    access,
    reaches,
    async reachesAll(deviceIds: readonly string[]): Promise<boolean> {
      const wanted = new Set(deviceIds)
      return (await reached([...wanted])).size === wanted.size
    },
    /** The rows of devices that are reached. */
    async show<Row extends { readonly deviceId: string | null }>(
      rows: readonly Row[],
    ): Promise<readonly Row[]> {
      const ids = await reached(rows.flatMap(({ deviceId }) => deviceId ?? []))
      return rows.filter(({ deviceId }) => deviceId !== null && ids.has(deviceId))
    },
    /** Whether an event is for those who reach its device, also if it was deleted just now. */
    async reachesEventOf(deviceId: string): Promise<boolean> {
      if (await reaches(deviceId)) return true
      const departed = departures.find(owner, deviceId)
      return departed !== undefined && isReached(departed, access)
    },
  }
}

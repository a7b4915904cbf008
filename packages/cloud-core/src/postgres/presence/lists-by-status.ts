import type { DeviceStatus } from '@homeward/contract/device-cloud'
import type { DeviceCondition, OnlineWindow, StoredDevice } from '../../ports/device-store.ts'
import type { Page, PagePosition, PageRequest } from '../../ports/page.ts'
import type { DevicesByIds } from './devices-by-ids.ts'
import type { PresenceDatabase } from './presence-database.ts'

/** Looks of one page. Each is a statement to either database; a page that is not full then says where it stopped. */
export const maxLooks = 20
/** Devices of the first look, and of all others. */
const devicesOfLook = { first: 1000, other: 5000 }

/** What lists by status are joined from. */
export interface ListsByStatusSetup extends Pick<DevicesByIds, 'findDevices'> {
  /** Where devices stand in the list, whatever their status. */
  readonly listPlaces: (
    owner: string,
    filter: DeviceCondition,
    page: PageRequest,
    online: OnlineWindow,
  ) => Promise<Page<PagePosition>>
  readonly presence: Pick<PresenceDatabase, 'find'>
}

/** A filter that asks for a status. */
type StatusFilter = DeviceCondition & { readonly status: DeviceStatus }

/** Lists and counts by status where the two databases cannot be joined in a statement. */
export function createListsByStatus({ listPlaces, findDevices, presence }: ListsByStatusSetup) {
  /** The next devices of the list, and those of them that have the status. */
  async function look(
    owner: string,
    { status, ...filter }: StatusFilter,
    page: PageRequest,
    online: OnlineWindow,
  ) {
    const { rows, next } = await listPlaces(owner, filter, page, online)
    const seen = await presence.find(rows.map(({ id }) => id))
    const [fromMs, untilMs] = [Date.parse(online.from), Date.parse(online.until)]
    const isOnline = (lastMs: number | undefined) =>
      lastMs !== undefined && lastMs >= fromMs && lastMs <= untilMs
    const found = rows.filter(({ id }) => isOnline(seen.get(id)) === (status === 'online'))
    return { found, seen, next }
  }

  /** Devices that match, and where the list goes on: behind the page, or behind the last device that was looked at. */
  async function findPage(owner: string, filter: StatusFilter, page: PageRequest, online: OnlineWindow) {
    const places: PagePosition[] = []
    const seen = new Map<string, number>()
    let { after } = page
    for (let looks = 0; looks < maxLooks; looks += 1) {
      const limit = looks === 0 ? devicesOfLook.first : devicesOfLook.other
      const part = await look(owner, filter, { limit, ...(after && { after }) }, online)
      places.push(...part.found)
      for (const { id } of part.found) {
        const lastMs = part.seen.get(id)
        if (lastMs !== undefined) seen.set(id, lastMs)
      }
      if (places.length > page.limit) {
        const shown = places.slice(0, page.limit)
        return { places: shown, seen, next: shown.at(-1) }
      }
      after = part.next
      if (after === undefined) break
    }
    return { places, seen, next: after }
  }

  return {
    async list(
      owner: string,
      filter: StatusFilter,
      page: PageRequest,
      online: OnlineWindow,
    ): Promise<Page<StoredDevice>> {
      const { places, seen, next } = await findPage(owner, filter, page, online)
      const devices = await findDevices(
        owner,
        places.map(({ id }) => id),
      )
      const rows = places.flatMap(({ id }) => {
        const device = devices.get(id)
        return device === undefined ? [] : [withLastSeen(device, seen.get(id))]
      })
      return { rows, ...(next && { next: { createdAt: next.createdAt, id: next.id } }) }
    },

    async count(owner: string, filter: StatusFilter, online: OnlineWindow): Promise<number> {
      let count = 0
      let after: PagePosition | undefined
      do {
        const page = { limit: devicesOfLook.other, ...(after && { after }) }
        const part = await look(owner, filter, page, online)
        count += part.found.length
        after = part.next
      } while (after !== undefined)
      return count
    },
  }
}

/** The device with its last heartbeat. One from before the presence database was used stays in the first database. */
export function withLastSeen(device: StoredDevice, lastMs: number | undefined): StoredDevice {
  return lastMs === undefined ? device : { ...device, lastSeenAt: new Date(lastMs).toISOString() }
}

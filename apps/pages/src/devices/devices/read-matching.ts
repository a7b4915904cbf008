import type { Device } from '@homeward/contract/device-cloud'
import { cloud } from '../../api/cloud.ts'
import { type DeviceFilter, toListQuery } from './device-filter.ts'

/** Reads all devices that a filter matches, page by page. */
export async function readMatching(filter: DeviceFilter): Promise<readonly Device[]> {
  const found: Device[] = []
  let cursor: string | undefined
  do {
    const query = { ...toListQuery(filter), limit: '1000', ...(cursor !== undefined && { cursor }) }
    const reply = await cloud.listDevices({ query })
    found.push(...reply.devices)
    cursor = reply.nextCursor
  } while (cursor !== undefined)
  return found
}

import type { DeviceCondition } from '../ports/device-store.ts'
import { HttpError } from '@homeward/contract/handler'
import type { AuditedDevices } from '@homeward/contract/device-cloud'
import type { DeviceFinder } from '../devices/find-devices.ts'
import type { RemainingDevices } from '../ports/group-store.ts'

/** Devices whose rows are created with their group; the rows of all others follow in batches. */
const maxAtOnce = 1000

/** The devices that a request is about. */
export interface WorkTarget {
  /** Those whose rows are created at once. */
  readonly deviceIds: readonly string[]
  readonly filter: DeviceCondition | null
  readonly rest: RemainingDevices | null
  /** How many there are in all. */
  readonly count: number
}

/** How a request names its devices: by one of them, as the contract has checked. */
interface TargetFields {
  readonly deviceIds?: readonly string[] | undefined
  readonly filter?: DeviceCondition | undefined
}

/** Finds the devices that a request is about (C32). */
export async function findTarget(
  finder: DeviceFinder,
  owner: string,
  { deviceIds = [], filter }: TargetFields,
): Promise<WorkTarget> {
  if (filter === undefined) {
    const ids = [...new Set(deviceIds)]
    return { deviceIds: ids, filter: null, rest: null, count: ids.length }
  }
  const page = await finder.list(owner, filter, { limit: maxAtOnce })
  const ids = page.rows.map(({ id }) => id)
  if (page.next === undefined) return { deviceIds: ids, filter, rest: null, count: ids.length }
  const count = Math.max(await finder.count(owner, filter), ids.length + 1)
  return { deviceIds: ids, filter, rest: { unmade: count - ids.length, after: page.next }, count }
}

/** What the audit says of the devices of a target. */
export function toAuditedTarget({ deviceIds, filter, count }: WorkTarget): AuditedDevices {
  return { count, ids: deviceIds.slice(0, 100), ...(filter && { filter }) }
}

/** A device that matches a filter may be deleted before its work is stored: then the filter is asked again. */
export async function whileDevicesChange<Reply>(
  { filter }: { readonly filter?: unknown },
  create: () => Promise<Reply>,
): Promise<Reply> {
  for (let tries = 1; filter !== undefined && tries < 5; tries += 1) {
    try {
      return await create()
    } catch (error) {
      if (!(error instanceof HttpError && error.status === 404)) throw error
    }
  }
  return create()
}

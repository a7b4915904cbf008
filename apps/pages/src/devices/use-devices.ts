import type { Device, DeviceCloudOperations } from '@homeward/contract/device-cloud'
import { useMemo } from 'react'
import type { ReplyOf } from '@homeward/contract'
import { useCloudPages, useCloudQuery } from '../api/cloud.ts'
import { isGone } from '../api/until-gone.ts'
import { untilNextRead } from '../api/device-events.ts'
import { type DeviceFilter, everyDevice, toListQuery } from './device-filter.ts'

/** Rows that are read at once: more follow as somebody scrolls. */
const pageSize = '200'
const refetchMs = 5000
/** Lists that somebody scrolled further than this are read again when the filter changes only. */
const maxRefetchedPages = 3

/** So many take the server some time to count. */
const manyDevices = 5000

type Reply = ReplyOf<DeviceCloudOperations['listDevices']>

const devicesOf = (reply: Reply) => reply.devices

/** Devices that match, newest first, as far as they were read. The server filters. */
export function useDevices(filter: DeviceFilter = everyDevice) {
  return useCloudPages(
    'listDevices',
    { query: { ...toListQuery(filter), limit: pageSize } },
    {
      select: devicesOf,
      keepPrevious: true,
      refetchInterval: ({ length }) =>
        length <= maxRefetchedPages && untilNextRead(refetchMs * Math.max(1, length)),
    },
  )
}

/** Devices that match, those that are online first: only they can answer now. */
export function useOnlineFirst(
  devices: readonly Device[] | undefined,
  filter: DeviceFilter,
): readonly Device[] | undefined {
  const online = useDevices(filter.status === 'all' ? { ...filter, status: 'online' } : filter).data
  return useMemo(() => {
    if (!devices || !online) return devices
    const first = new Set(online.map(({ id }) => id))
    return [...online, ...devices.filter(({ id }) => !first.has(id))]
  }, [devices, online])
}

/** How many devices match, and how many of them are online. Undefined until it is known. */
export function useDeviceCounts(filter: DeviceFilter = everyDevice, enabled = true) {
  const total = useTotal(filter, enabled)
  const isByStatus = filter.status !== 'all'
  const online = useTotal({ ...filter, status: 'online' }, enabled && !isByStatus)
  return { total, online: isByStatus ? undefined : online }
}

function useTotal(filter: DeviceFilter, enabled: boolean): number | undefined {
  const query = { ...toListQuery(filter), count: 'true', limit: '1' } as const
  const options = {
    enabled,
    keepPrevious: true,
    refetchInterval: (reply: Reply | undefined) =>
      (reply?.total ?? 0) > manyDevices ? 60_000 : untilNextRead(refetchMs * 2),
  }
  return useCloudQuery('listDevices', { query }, options).data?.total
}

/** One device. */
export function useDevice(id: string, enabled = true) {
  const query = useCloudQuery(
    'getDevice',
    { params: { id } },
    { enabled, refetchInterval: () => untilNextRead(refetchMs) },
  )
  const isMissing = isGone(query.error)
  const { error, refetch } = query
  return { device: isMissing ? undefined : query.data?.device, isMissing, error, refetch }
}

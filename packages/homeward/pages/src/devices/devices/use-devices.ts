import type { Device, DeviceCloudOperations } from '@homeward/contract/device-cloud'
import type { ReplyOf } from '@homeward/contract'
import { useEffect } from 'react'
import { useCloudPages } from '../../api/cloud.ts'

/** The largest page that the server gives. */
const pageSize = '1000'
/** Beyond them a fleet is read as somebody scrolls, and a filter sees what was read. */
const maxDevices = 20_000
const refetchMs = 5000

const devicesOf = (reply: ReplyOf<DeviceCloudOperations['listDevices']>) => reply.devices

/** All devices, newest first: as the interface has no search for devices, pages filter what was read. */
export function useDevices() {
  const query = useCloudPages(
    'listDevices',
    { query: { limit: pageSize } },
    {
      select: devicesOf,
      refetchInterval: ({ length }) => (length > 1 ? refetchMs * 6 : refetchMs),
    },
  )
  const { data, error, isFetchingNextPage, loadMore } = query
  const count = data?.length ?? 0
  useEffect(() => {
    if (!isFetchingNextPage && error === null && count < maxDevices) loadMore?.()
  }, [isFetchingNextPage, error, count, loadMore])
  return { ...query, isComplete: data !== undefined && (loadMore === undefined || count >= maxDevices) }
}

/** One device: it is read with all others, as the interface has no call for one. */
export function useDevice(id: string) {
  const { data, isComplete, ...query } = useDevices()
  const device: Device | undefined = data?.find((each) => each.id === id)
  return { ...query, device, isMissing: device === undefined && isComplete }
}

import type { Device } from '@homeward/contract/device-cloud'
import { useEffect, useMemo } from 'react'
import type { PagesResult } from '../../api/create-api-hooks.ts'
import { useAddressFilter } from '../../components/use-address-filter.ts'
import { isSorted, nextDeviceSort, sortDevices, toTableSort } from './device-sort.ts'

const noSort = { sort: '' }
const noDevices: readonly Device[] = []

/** So many are read to be sorted here: the server has no order but newest first. */
const mostSorted = 5000

/** The order of the list of devices, which stands in the address. While it has one, all devices that match are read. */
export function useDeviceOrder({ data, loadMore, isFetchingNextPage }: PagesResult<Device>, total = 0) {
  const [{ sort }, change] = useAddressFilter(noSort)
  const canSort = total <= mostSorted
  const isActive = canSort && isSorted(sort)
  const rows = useMemo(
    () => (isActive ? sortDevices(data ?? noDevices, sort) : noDevices),
    [data, isActive, sort],
  )
  useEffect(() => {
    if (isActive && !isFetchingNextPage) loadMore?.()
  }, [isActive, isFetchingNextPage, loadMore, data])
  return {
    rows,
    /** As the address has it. */
    written: sort,
    sort: isActive ? toTableSort(sort) : undefined,
    onSort: canSort ? (column: string) => change({ sort: nextDeviceSort(sort, column) }) : undefined,
  }
}

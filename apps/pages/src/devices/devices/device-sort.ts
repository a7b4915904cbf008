import type { Device } from '@homeward/contract/device-cloud'
import type { TableSort } from '../../components/table/data-table.tsx'

const names = new Intl.Collator(undefined, { numeric: true })
const seenMs = ({ lastSeenAt }: Device) => (lastSeenAt === null ? 0 : Date.parse(lastSeenAt))

/** Orders of the list, by the column that begins with each: who is online and was seen last comes first. */
const orders: Readonly<Record<string, (a: Device, b: Device) => number>> = {
  name: (a, b) => names.compare(a.name, b.name),
  status: (a, b) => b.status.localeCompare(a.status) || names.compare(a.name, b.name),
  seen: (a, b) => seenMs(b) - seenMs(a),
  type: (a, b) => names.compare(a.type, b.type),
  platform: (a, b) => names.compare(a.platform, b.platform),
}

/** Devices in an order of the address: a column, after `-` turned around; any other leaves them newest first. */
export function sortDevices(devices: readonly Device[], sort: string): readonly Device[] {
  const order = orderOf(sort)
  if (!order) return devices
  return devices.toSorted(sort.startsWith('-') ? (a, b) => order(b, a) : order)
}

function orderOf(sort: string) {
  const column = sort.replace(/^-/, '')
  return Object.hasOwn(orders, column) ? orders[column] : undefined
}

/** Whether the list has an order other than newest first. */
export const isSorted = (sort: string): boolean => orderOf(sort) !== undefined

/** The order after a press on a header: a second press turns it around, a third one ends it. */
export function nextDeviceSort(sort: string, column: string): string {
  if (sort === column) return `-${column}`
  return sort === `-${column}` ? '' : column
}

/** What the table shows of an order. */
export function toTableSort(sort: string): TableSort | undefined {
  if (!isSorted(sort)) return undefined
  const isTurned = sort.startsWith('-')
  const column = sort.replace(/^-/, '')
  // The newest heartbeat first is the highest first.
  return { column, direction: isTurned === (column === 'seen') ? 'ascending' : 'descending' }
}

import type { Device } from '@homeward/contract/device-cloud'
import { expect, it } from 'vitest'
import { nextDeviceSort, sortDevices, toTableSort } from './devices-page.tsx'

const device = (name: string, status: Device['status'], lastSeenAt: string | null): Device => ({
  id: name,
  name,
  type: 'iot',
  platform: 'linux',
  status,
  lastSeenAt,
  createdAt: '2026-01-01T00:00:00.000Z',
  metadata: {},
  labels: [],
})
const devices = [
  device('Till 10', 'offline', null),
  device('Till 9', 'online', '2026-01-02T00:00:00.000Z'),
  device('Desk', 'offline', '2026-01-01T00:00:00.000Z'),
]
const namesOf = (sort: string) => sortDevices(devices, sort).map(({ name }) => name)

it('sorts by a column, and the other way around', () => {
  expect(namesOf('name')).toEqual(['Desk', 'Till 9', 'Till 10'])
  expect(namesOf('-name')).toEqual(['Till 10', 'Till 9', 'Desk'])
  expect(namesOf('status')[0]).toBe('Till 9')
  expect(namesOf('seen')).toEqual(['Till 9', 'Desk', 'Till 10'])
})

it('leaves the order of the server where the address has none that is known', () => {
  for (const sort of ['', 'constructor', '-']) expect(sortDevices(devices, sort)).toBe(devices)
})

it('goes from a column to its reverse and back to no order', () => {
  expect(nextDeviceSort('', 'name')).toBe('name')
  expect(nextDeviceSort('name', 'name')).toBe('-name')
  expect(nextDeviceSort('-name', 'name')).toBe('')
  expect(toTableSort('name')).toEqual({ column: 'name', direction: 'ascending' })
  expect(toTableSort('seen')).toEqual({ column: 'seen', direction: 'descending' })
  expect(toTableSort('')).toBeUndefined()
})

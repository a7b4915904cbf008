import type { DeviceFilter } from '@homeward/contract/device-cloud'
import type { CloudStore, StoredDevice } from '@homeward/cloud-core'

/** When the fleet is looked at: a heartbeat counts for 150 s. */
export const online = { from: '2026-02-01T00:00:00.000Z', until: '2026-02-01T00:05:00.000Z' }

const types = ['desktop', 'laptop', 'server', 'iot']
const platforms = ['linux', 'windows', 'macos']
const atOnce = 1000

/** Filters that dashboards and saved searches ask with, by what they leave of the fleet. */
export const filters: Readonly<Record<string, DeviceFilter>> = {
  'no filter': {},
  'a label of half': { labels: ['env:prod'] },
  'a label of 50 devices': { labels: ['site:7'] },
  'two labels': { labels: ['env:prod', 'site:7'] },
  'two labels that no device has both': { labels: ['env:prod', 'env:test'] },
  'a type and a platform': { type: 'iot', platform: 'macos' },
  'a type that no device has': { type: 'fridge' },
  online: { status: 'online' },
  offline: { status: 'offline' },
  'online, with a label': { status: 'online', labels: ['site:7'] },
  'text that one device has': { text: 'MACHINE 77777' },
  'text that no device has': { text: 'no such device' },
  everything: { text: 'debian', status: 'online', labels: ['env:prod'], type: 'server', platform: 'linux' },
}

function deviceOf(index: number): StoredDevice {
  const id = crypto.randomUUID()
  // The oldest fifth has been off for long.
  const isOnline = index % 5 !== 0
  return {
    id,
    owner: 'local',
    name: `Machine ${index}`,
    type: types[index % types.length] ?? 'other',
    platform: platforms[index % platforms.length] ?? 'other',
    metadata: {
      os: 'Debian 13',
      version: `13.${index % 9}`,
      hardware: 'Intel(R) Core(TM) i5-8350U CPU @ 1.70GHz, 16 GB',
      agent: '1.4.2',
      room: `Room ${index % 700}`,
    },
    lastSeenAt: isOnline ? '2026-02-01T00:03:00.000Z' : '2026-01-20T00:00:00.000Z',
    createdAt: new Date(Date.UTC(2026, 0, 1) + index * 1000).toISOString(),
    key: { hash: `hash-${id}`, hint: 'hw_abcd…', sealed: null },
    labels: [index % 2 === 0 ? 'env:prod' : 'env:test', `site:${index % 2000}`, 'fleet'],
  }
}

/** Registers devices of one owner. */
export async function addFleet(store: CloudStore, count: number): Promise<void> {
  for (let start = 0; start < count; start += atOnce) {
    const length = Math.min(atOnce, count - start)
    await Promise.all(
      Array.from({ length }, (_, index) => store.insertDevice(deviceOf(start + index), undefined)),
    )
  }
}

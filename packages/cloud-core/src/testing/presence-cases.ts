import { expectSame } from '@homeward/kit/testing'
import type { CloudStore } from '../ports/cloud-store.ts'
import { at, deviceOf, storeCase, withDevices, type CloudStoreCase } from './store-harness.ts'

const beat = (store: CloudStore, second: number, ...deviceIds: readonly string[]) =>
  store.writeHeartbeats(
    deviceIds.map((deviceId) => ({ deviceId, lastSeenAt: at(second) })),
    at(999),
  )
const claim = (store: CloudStore, second: number, ...deviceIds: readonly string[]) =>
  store.claimOffline({ deviceIds, seenBefore: at(second), now: at(second + 1) })
const seen = (deviceId: string, second: number, isReported = false) => ({
  deviceId,
  owner: 'ann',
  lastSeenAt: at(second),
  isReported,
})

/** Promises of `PresenceStore`. */
export const presenceCases: readonly CloudStoreCase[] = [
  storeCase('C2: lists the devices that were ever seen, page by page', async ({ store }) => {
    await withDevices(
      store,
      ['d1', 'd2', 'd3', 'd4'].map((id) => deviceOf(id)),
    )
    await beat(store, 5, 'd4', 'd1', 'gone', 'd2')
    expectSame(await store.listPresence('', 2), [seen('d1', 5), seen('d2', 5)], 'the first page')
    expectSame(await store.listPresence('d2', 2), [seen('d4', 5)], 'the last page')
    await store.deleteDevice('ann', 'd2')
    expectSame(await store.listPresence('d1', 9), [seen('d4', 5)], 'the devices that are left')
  }),
  storeCase('C2: gives a silent device to one of those who claim it, once a silence', async ({ store }) => {
    await withDevices(store, [deviceOf('d1'), deviceOf('d2'), deviceOf('never')])
    await beat(store, 5, 'd1')
    await beat(store, 10, 'd2')
    const claims = await Promise.all([1, 2].map(() => claim(store, 10, 'd2', 'd1', 'gone', 'never')))
    expectSame(claims.flat(), [seen('d1', 5, true)], 'the device that was claimed')
    expectSame(await store.listPresence('', 9), [seen('d1', 5, true), seen('d2', 10)], 'the list')
    await beat(store, 4, 'd1')
    expectSame(await claim(store, 11, 'd1'), [], 'after an older heartbeat')
    await beat(store, 20, 'd1')
    expectSame(await store.listPresence('', 1), [seen('d1', 20)], 'the list after another heartbeat')
    expectSame(await claim(store, 21, 'd1'), [seen('d1', 20, true)], 'the next silence')
    expectSame(await claim(store, 99), [], 'a claim of nothing')
  }),
  storeCase('keeps the presence of devices that exist', async ({ store }) => {
    await withDevices(store)
    await beat(store, 5, 'd1')
    expectSame(await store.removePresence(['d1', 'gone']), 0, 'how many were removed')
    expectSame(await store.listPresence('', 9), [seen('d1', 5)], 'the list')
  }),
]

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

/** A heartbeat that ends a silence, if the device was silent since before `silentBefore`. */
const comeBack = (store: CloudStore, second: number, silentBefore: number, ...deviceIds: readonly string[]) =>
  store.writeHeartbeats(
    deviceIds.map((deviceId) => ({
      deviceId,
      lastSeenAt: at(second + 1),
      returned: { at: at(second), silentBefore: at(silentBefore) },
    })),
    at(second + 1),
  )
const gap = (from: number, to: number) => ({ from: at(from), to: at(to) })
const daySeconds = 24 * 60 * 60

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
  storeCase('C3: records a gap once, however many heartbeats end it', async ({ store }) => {
    await withDevices(store, [deviceOf('d1'), deviceOf('d2'), deviceOf('never')])
    await comeBack(store, 5, 4, 'd1', 'gone', 'd2')
    await beat(store, 10, 'd1', 'd2')
    await Promise.all([1, 2, 3].map(() => comeBack(store, 60, 30, 'd2', 'd1')))
    await beat(store, 500, 'd2')
    await comeBack(store, 510, 490, 'd2')
    await comeBack(store, 600, 560, 'd2')
    const history = { firstSeenAt: at(6), gaps: [gap(10, 60)] }
    expectSame(await store.findPresence('d1'), history, 'the history')
    const longer = { firstSeenAt: at(6), gaps: [gap(10, 60), gap(511, 600)] }
    expectSame(await store.findPresence('d2'), longer, 'the history of the device with two gaps')
    expectSame(await store.findPresence('never'), undefined, 'of a device that was never seen')
    expectSame(await store.findPresence('gone'), undefined, 'of a device that is gone')
  }),
  storeCase('C3: stores the newest 100 gaps of the last 90 days', async ({ store }) => {
    await withDevices(store)
    for (let index = 0; index < 103; index += 1) await comeBack(store, index * 100, index * 100 - 50, 'd1')
    const gaps = (await store.findPresence('d1'))?.gaps ?? []
    expectSame([gaps.length, gaps[0], gaps.at(-1)], [100, gap(201, 300), gap(10_101, 10_200)], 'the gaps')
    const later = 90 * daySeconds + 10_050
    await comeBack(store, later, later - 50, 'd1')
    const rest = { firstSeenAt: at(1), gaps: [gap(10_001, 10_100), gap(10_101, 10_200), gap(10_201, later)] }
    expectSame(await store.findPresence('d1'), rest, 'the history after three months')
  }),
  storeCase('removes the history of a device with the device', async ({ store }) => {
    await withDevices(store, [deviceOf('d1'), deviceOf('d2')])
    await beat(store, 1, 'd1', 'd2')
    await comeBack(store, 60, 30, 'd1', 'd2')
    await store.deleteDevice('ann', 'd1')
    expectSame(await store.findPresence('d1'), undefined, 'the history of the device that is gone')
    await withDevices(store)
    await beat(store, 90, 'd1')
    expectSame(await store.findPresence('d1'), { firstSeenAt: at(90), gaps: [] }, 'of a new one with its id')
    const kept = { firstSeenAt: at(1), gaps: [gap(1, 60)] }
    expectSame(await store.findPresence('d2'), kept, 'of the other device')
  }),
  storeCase('keeps the presence of devices that exist', async ({ store }) => {
    await withDevices(store)
    await beat(store, 5, 'd1')
    expectSame(await store.removePresence(['d1', 'gone']), 0, 'how many were removed')
    expectSame(await store.listPresence('', 9), [seen('d1', 5)], 'the list')
  }),
]

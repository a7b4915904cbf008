import type { SearchOutcome } from '../ports/search-store.ts'
import { confusableStrings, edgeCaseJson, expectSame } from '@homeward/kit/testing'
import type { CloudStoreCase } from './store-harness.ts'
import {
  at,
  deviceOf,
  keyOf,
  onceOf,
  online,
  searchOf,
  storeCase,
  uploadOf,
  withDevices,
} from './store-harness.ts'

const [name = '', ...lookAlikes] = confusableStrings

/** Promises of `CloudStore` about texts, values and times: they are what they are. */
export const exactValueCases: readonly CloudStoreCase[] = [
  storeCase('C20: tells owners apart to the letter', async ({ store }) => {
    await withDevices(store, [deviceOf('d1', { owner: name })])
    await store.insertUploads(name, [uploadOf('u1')], undefined)
    for (const owner of lookAlikes) {
      const shown = [
        await store.findDevice(owner, 'd1'),
        (await store.listDevices(owner, {}, { limit: 9 }, online)).rows[0],
        (await store.listUploads(owner, {}, { limit: 9 }, at(1))).rows[0],
        await store.deleteDevice(owner, 'd1'),
      ]
      const what = `what ${JSON.stringify(owner)} sees of ${JSON.stringify(name)}`
      expectSame(shown, [undefined, undefined, undefined, undefined], what)
      const { kind } = await store.insertSearches(owner, [searchOf('s1')], undefined)
      expectSame(kind, 'unknown_device', 'a search of another owner')
    }
    expectSame((await store.findDevice(name, 'd1'))?.owner, name, 'the owner')
  }),
  storeCase('tells ids and hashes apart to the letter', async ({ store }) => {
    const ids = ['id', 'ID', 'Id ']
    await withDevices(
      store,
      ids.map((id) => deviceOf(id)),
    )
    for (const deviceId of ids) {
      await store.insertSearches('ann', [searchOf(deviceId, { deviceId })], undefined)
      await store.insertUploads('ann', [uploadOf(deviceId, { deviceId })], undefined)
    }
    for (const id of ids) {
      const found = [
        (await store.findDevice('ann', id))?.id,
        (await store.findDeviceByKeyHash(keyOf(id).hash, at(1)))?.device.id,
        (await store.listPendingSearches(id, 9, at(1))).map((row) => row.id).join(),
        (await store.listPendingUploads(id, 9, at(1))).map((row) => row.id).join(),
      ]
      expectSame(found, [id, id, id, id], `what is found under ${JSON.stringify(id)}`)
    }
    expectSame(await store.findDeviceByKeyHash('HASH-id', at(1)), undefined, 'a hash in capitals')
    const creations = [onceOf('k'), onceOf('K'), onceOf('k', { scope: 'Ann:create' })]
    for (const [index, once] of creations.entries()) {
      const { kind } = await store.insertDevice(deviceOf(`once${index}`), once)
      expectSame(kind, 'created', 'a creation under another key')
    }
  }),
  storeCase('keeps values to the letter: empty, zero, fractions, and what looks alike', async ({ store }) => {
    const device = deviceOf('d1', { name: ' a ', metadata: edgeCaseJson })
    await withDevices(store, [device])
    expectSame(await store.findDevice('ann', 'd1'), device, 'the device')
    await store.writeHeartbeats([{ deviceId: 'd1', lastSeenAt: at(1), metadata: { os: '' } }], at(1))
    const merged = (await store.findDevice('ann', 'd1'))?.metadata
    expectSame(merged, { ...edgeCaseJson, os: '' }, 'the merged metadata')
    await store.insertSearches('ann', [searchOf('s1', { query: ' e\u0301 ' })], undefined)
    expectSame((await store.listPendingSearches('d1', 9, at(1)))[0]?.query, ' e\u0301 ', 'the query')
    const outcome: SearchOutcome = { status: 'completed', results: { own: edgeCaseJson }, error: null }
    await store.settleSearch({ id: 's1', deviceId: 'd1', outcome, now: at(1) })
    const [row] = (await store.listSearches('ann', {}, { limit: 9 }, at(1))).rows
    expectSame(row?.results, outcome.results, 'the results')
  }),
  storeCase('C11: keeps times to the millisecond, and orders by them', async ({ store }) => {
    const times = [at(0.001), at(0.002), at(0.999)]
    const rows = times.map((createdAt, index) => ({ id: `r${9 - index}`, createdAt })) // ids the other way round
    await withDevices(store)
    await store.insertSearches(
      'ann',
      rows.map(({ id, createdAt }) => searchOf(id, { createdAt, expiresAt: at(1.5) })),
      undefined,
    )
    const pending = (await store.listPendingSearches('d1', 9, at(1.499))).map((row) => row.createdAt)
    expectSame(pending, times, 'the pending list')
    const listed = (await store.listSearches('ann', {}, { limit: 9 }, at(1.499))).rows
    expectSame(
      listed.map(({ createdAt }) => createdAt),
      times.toReversed(),
      'the list',
    )
    expectSame(await store.listPendingSearches('d1', 9, at(1.5)), [], 'what is pending when its time is over')
  }),
]

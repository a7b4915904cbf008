import { expectSame, race } from '@homeward/kit/testing'
import type { CloudStoreCase } from './store-harness.ts'
import { at, deviceOf, keyOf, storeCase, withDevices } from './store-harness.ts'

const rotation = (name: string, now = at(1), previousUntil = at(100)) => ({
  owner: 'ann',
  deviceId: 'd1',
  key: keyOf(name),
  previousUntil,
  now,
})

/** Promises of `DeviceStore` about keys. */
export const keyCases: readonly CloudStoreCase[] = [
  storeCase('C14: finds a device by its key, and nothing by any other', async ({ store }) => {
    await withDevices(store, [deviceOf('d1'), deviceOf('d2')])
    const found = await store.findDeviceByKeyHash('hash-d2', at(1))
    expectSame(found, { device: deviceOf('d2'), match: 'current', hasPreviousKey: false }, 'the device')
    expectSame(await store.findDeviceByKeyHash('hash', at(1)), undefined, 'an unknown key')
  }),
  storeCase('C15: the old key works beside the new one until its time runs out', async ({ store }) => {
    await withDevices(store)
    expectSame(await store.rotateKey(rotation('k2')), { droppedHashes: [] }, 'what a first rotation drops')
    const current = await store.findDeviceByKeyHash('hash-k2', at(99))
    expectSame([current?.match, current?.hasPreviousKey], ['current', true], 'the new key')
    expectSame(current?.device.key, keyOf('k2'), 'the key at rest')
    const previous = await store.findDeviceByKeyHash('hash-d1', at(99))
    expectSame([previous?.match, previous?.device.id], ['previous', 'd1'], 'the old key')
    expectSame(
      await store.findDeviceByKeyHash('hash-d1', at(100)),
      undefined,
      'the old key when its time ran out',
    )
    expectSame(
      (await store.findDeviceByKeyHash('hash-k2', at(100)))?.hasPreviousKey,
      false,
      'whether one is left',
    )
  }),
  storeCase(
    'C15: rotating a key that was never used drops it and keeps the one in use',
    async ({ store }) => {
      await withDevices(store)
      await store.rotateKey(rotation('k2'))
      expectSame(
        await store.rotateKey(rotation('k3', at(2), at(200))),
        { droppedHashes: ['hash-k2'] },
        'what is dropped',
      )
      expectSame(await store.findDeviceByKeyHash('hash-k2', at(3)), undefined, 'the key that was never used')
      expectSame((await store.findDeviceByKeyHash('hash-k3', at(3)))?.match, 'current', 'the newest key')
      expectSame((await store.findDeviceByKeyHash('hash-d1', at(199)))?.match, 'previous', 'the key in use')
    },
  ),
  storeCase(
    'C15: rotating after the old key ran out makes the current one the previous one',
    async ({ store }) => {
      await withDevices(store)
      await store.rotateKey(rotation('k2', at(1), at(10)))
      await store.rotateKey(rotation('k3', at(10), at(30)))
      expectSame(await store.findDeviceByKeyHash('hash-d1', at(21)), undefined, 'the first key')
      expectSame((await store.findDeviceByKeyHash('hash-k2', at(21)))?.match, 'previous', 'the second key')
      expectSame((await store.findDeviceByKeyHash('hash-k3', at(21)))?.match, 'current', 'the third key')
    },
  ),
  storeCase('C15: using the new key ends the old one, once', async ({ store }) => {
    await withDevices(store)
    expectSame(await store.retirePreviousKey('d1', 'hash-d1'), undefined, 'retiring when there is none')
    await store.rotateKey(rotation('k2'))
    expectSame(
      await store.retirePreviousKey('d1', 'hash-d1'),
      undefined,
      'retiring by a key that is not current',
    )
    expectSame(
      (await store.findDeviceByKeyHash('hash-d1', at(2)))?.match,
      'previous',
      'the old key until then',
    )
    const retired = await race(() => store.retirePreviousKey('d1', 'hash-k2'))
    expectSame(
      retired.filter((hash) => hash !== undefined),
      ['hash-d1'],
      'what the race retired',
    )
    expectSame(await store.findDeviceByKeyHash('hash-d1', at(2)), undefined, 'the old key')
    expectSame(
      (await store.findDeviceByKeyHash('hash-k2', at(2)))?.hasPreviousKey,
      false,
      'whether one is left',
    )
  }),
  storeCase('C15: racing rotations leave one current key and the one in use', async ({ store }) => {
    await withDevices(store)
    const outcomes = await race((index) => store.rotateKey(rotation(`r${index}`)))
    const dropped = outcomes.flatMap((outcome) => outcome?.droppedHashes ?? ['none'])
    const matches = await race(
      async (index) => (await store.findDeviceByKeyHash(`hash-r${index}`, at(2)))?.match,
    )
    expectSame(matches.filter((match) => match === 'current').length, 1, 'how many new keys work')
    expectSame(matches.filter((match) => match === 'previous').length, 0, 'how many new keys are previous')
    expectSame(new Set(dropped).size, 7, 'how many were dropped')
    expectSame((await store.findDeviceByKeyHash('hash-d1', at(2)))?.match, 'previous', 'the key in use')
  }),
  storeCase('C15: a rotation that races with a retirement leaves a key that works', async ({ store }) => {
    await withDevices(store)
    await store.rotateKey(rotation('k2'))
    const [rotated, retired] = await Promise.all([
      store.rotateKey(rotation('k3', at(2))),
      store.retirePreviousKey('d1', 'hash-k2'),
    ])
    expectSame((await store.findDeviceByKeyHash('hash-k3', at(3)))?.match, 'current', 'the newest key')
    const kept = retired === undefined ? 'hash-d1' : 'hash-k2'
    expectSame((await store.findDeviceByKeyHash(kept, at(3)))?.match, 'previous', 'the key in use')
    expectSame(rotated?.droppedHashes, retired === undefined ? ['hash-k2'] : [], 'what the rotation dropped')
  }),
]

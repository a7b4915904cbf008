import type { DeviceMetadata } from '@homeward/contract/device-cloud'
import { expectRejection, expectSame, expectTrue, race } from '@homeward/kit/testing'
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

const oddMetadata: DeviceMetadata = JSON.parse(
  '{"__proto__": {"admin": true}, "constructor": "c", "os": "ö\'\\"; drop table devices; --"}',
) as DeviceMetadata

/** Promises of `DeviceStore`, keys apart. */
export const deviceCases: readonly CloudStoreCase[] = [
  storeCase('adds a device and gives it back as it was', async ({ store }) => {
    const device = deviceOf('d1', { name: 'Ann\'s "big" 🖥️ %_\\', metadata: oddMetadata, lastSeenAt: at(1) })
    expectSame(await store.insertDevice(device, undefined), { kind: 'created' }, 'the outcome')
    expectSame(await store.findDevice('ann', 'd1'), device, 'the device')
    expectSame((await store.listDevices('ann', {}, { limit: 9 }, online)).rows, [device], 'the list')
    expectSame((await store.findDeviceByKeyHash('hash-d1', at(1)))?.device, device, 'the device by its key')
    expectTrue(!('admin' in {}), 'that no prototype was changed')
  }),
  storeCase('does not share what it was given', async ({ store }) => {
    const metadata = { os: 'before' }
    await withDevices(store, [deviceOf('d1', { metadata })])
    metadata.os = 'after'
    expectSame((await store.findDevice('ann', 'd1'))?.metadata, { os: 'before' }, 'the metadata')
  }),
  storeCase('C20: shows an owner nothing of another one', async ({ store }) => {
    await withDevices(store)
    expectSame(await store.findDevice('bob', 'd1'), undefined, "another owner's device")
    expectSame((await store.listDevices('bob', {}, { limit: 9 }, online)).rows, [], "another owner's list")
    expectSame(await store.deleteDevice('bob', 'd1'), undefined, "deleting another owner's device")
    const rotation = { owner: 'bob', deviceId: 'd1', key: keyOf('new'), previousUntil: at(9), now: at(1) }
    expectSame(await store.rotateKey(rotation), undefined, "rotating another owner's key")
    expectSame((await store.findDeviceByKeyHash('hash-d1', at(1)))?.device.id, 'd1', 'the device afterwards')
    expectSame(
      await store.findDeviceByKeyHash('hash-new', at(1)),
      undefined,
      'the key of the refused rotation',
    )
  }),
  storeCase('C20: creates a device once, however many repeats race', async ({ store }) => {
    const outcomes = await race((index) =>
      store.insertDevice(deviceOf(`d${index}`), onceOf('k', { reply: `d${index}` })),
    )
    const [device, ...others] = (await store.listDevices('ann', {}, { limit: 9 }, online)).rows
    expectSame(others, [], 'further devices')
    const repeated = { kind: 'repeated', fingerprint: 'print', reply: device?.id }
    expectSame(outcomes.filter(({ kind }) => kind === 'created').length, 1, 'how many were created')
    expectSame(
      outcomes.find(({ kind }) => kind === 'repeated'),
      repeated,
      'what a repeat gets',
    )
  }),
  storeCase(
    'C20: keeps repeats apart by scope and key, and forgets them when they expire',
    async ({ store }) => {
      const create = (id: string, once: ReturnType<typeof onceOf>) => store.insertDevice(deviceOf(id), once)
      expectSame((await create('d1', onceOf('k'))).kind, 'created', 'the first one')
      expectSame((await create('d2', onceOf('k', { scope: 'bob' }))).kind, 'created', 'another scope')
      expectSame((await create('d3', onceOf('other'))).kind, 'created', 'another key')
      expectSame(
        (await create('d4', onceOf('k', { createdAt: at(99) }))).kind,
        'repeated',
        'just before it expires',
      )
      const late = onceOf('k', { createdAt: at(100), expiresAt: at(200), reply: 'late' })
      expectSame((await create('d5', late)).kind, 'created', 'when it expired')
      const repeat = await create('d6', onceOf('k', { createdAt: at(150), expiresAt: at(250) }))
      expectSame(
        repeat,
        { kind: 'repeated', fingerprint: 'print', reply: 'late' },
        'a repeat of the later one',
      )
    },
  ),
  storeCase('refuses an id that is in use, and remembers no creation of it', async ({ store }) => {
    await withDevices(store)
    const again = deviceOf('d1', { name: 'Other', key: keyOf('other') })
    await expectRejection(() => store.insertDevice(again, onceOf('k')), 'adding the same id again')
    expectSame((await store.findDevice('ann', 'd1'))?.name, 'Device d1', 'the name of the first one')
    expectSame(
      (await store.insertDevice(deviceOf('d2'), onceOf('k'))).kind,
      'created',
      'a creation under that key',
    )
  }),
  storeCase('C3: writes heartbeats in a batch, never backwards', async ({ store }) => {
    await withDevices(store, [deviceOf('d1'), deviceOf('d2')])
    await store.writeHeartbeats(
      [
        { deviceId: 'd1', lastSeenAt: at(20), metadata: { version: '2', extra: [1] } },
        { deviceId: 'gone', lastSeenAt: at(20), metadata: { os: 'x' } },
        { deviceId: 'd2', lastSeenAt: at(30) },
      ],
      at(99),
    )
    await store.writeHeartbeats(
      [{ deviceId: 'd1', lastSeenAt: at(10), metadata: { os: 'Debian 14' } }],
      at(20),
    )
    const first = await store.findDevice('ann', 'd1')
    expectSame(first?.lastSeenAt, at(20), 'the latest beat')
    expectSame(first?.metadata, { os: 'Debian 14', version: '2', extra: [1] }, 'the merged metadata')
    const second = await store.findDevice('ann', 'd2')
    expectSame([second?.lastSeenAt, second?.metadata], [at(30), { os: 'Debian 13' }], 'the other device')
    await store.writeHeartbeats([], at(99))
  }),
  storeCase('C2: a heartbeat replaces one that a clock wrote which was put back', async ({ store }) => {
    await withDevices(store, [deviceOf('d1'), deviceOf('d2')])
    const beats = (second: number) => ['d1', 'd2'].map((deviceId) => ({ deviceId, lastSeenAt: at(second) }))
    await store.writeHeartbeats(beats(50), at(99))
    await store.writeHeartbeats(beats(10).slice(1), at(49))
    const [second, first] = (await store.listDevices('ann', {}, { limit: 9 }, online)).rows
    expectSame([first?.lastSeenAt, second?.lastSeenAt], [at(50), at(10)], 'the beats')
  }),
  storeCase('C19: keeps metadata within its limit', async ({ store }) => {
    await withDevices(store)
    const metadata = { big: 'x'.repeat(9000), os: 'new' }
    await store.writeHeartbeats([{ deviceId: 'd1', lastSeenAt: at(1), metadata }], at(1))
    expectSame((await store.findDevice('ann', 'd1'))?.metadata, { os: 'new' }, 'the metadata')
  }),
  storeCase('C15: deletes a device with its work and its keys, and tells its blobs', async ({ store }) => {
    await withDevices(store, [deviceOf('d1'), deviceOf('d2')])
    await store.rotateKey({
      owner: 'ann',
      deviceId: 'd1',
      key: keyOf('new'),
      previousUntil: at(99),
      now: at(1),
    })
    await store.insertSearches('ann', [searchOf('s1'), searchOf('s2', { deviceId: 'd2' })], undefined)
    await store.insertUploads(
      'ann',
      [uploadOf('u1'), uploadOf('u2'), uploadOf('u3', { deviceId: 'd2' })],
      undefined,
    )
    await store.leaseUpload({ id: 'u1', deviceId: 'd1', blobId: 'b1', leaseUntil: at(50), now: at(1) })
    await store.leaseUpload({ id: 'u2', deviceId: 'd1', blobId: 'b2', leaseUntil: at(50), now: at(1) })
    const file = { blobId: 'b2', fileName: 'f', size: 1, links: {} }
    await store.settleUpload({ id: 'u2', deviceId: 'd1', outcome: { status: 'completed', file }, now: at(2) })

    expectSame(
      [...((await store.deleteDevice('ann', 'd1'))?.blobIds ?? [])].toSorted(),
      ['b1', 'b2'],
      'the blobs',
    )
    expectSame(await store.findDevice('ann', 'd1'), undefined, 'the device')
    expectSame(await store.findDeviceByKeyHash('hash-d1', at(3)), undefined, 'the previous key')
    expectSame(await store.findDeviceByKeyHash('hash-new', at(3)), undefined, 'the current key')
    const searches = await store.listSearches('ann', {}, { limit: 9 }, at(3))
    const uploads = await store.listUploads('ann', {}, { limit: 9 }, at(3))
    expectSame(
      [...searches.rows, ...uploads.rows].map(({ id }) => id),
      ['s2', 'u3'],
      'the work that is left',
    )
    expectSame(await store.findFile('ann', 'b2'), undefined, 'its file')
    const late = { deviceId: 'd1', now: at(3) }
    const lost = { status: 'failed', results: null, error: 'late' } as const
    expectSame(
      [
        await store.settleSearch({ ...late, id: 's1', outcome: lost }),
        await store.settleUpload({ ...late, id: 'u1', outcome: lost }),
        await store.leaseUpload({ ...late, id: 'u1', blobId: 'b1', leaseUntil: at(50) }),
      ],
      Array.from({ length: 3 }, () => ({ kind: 'unknown' })),
      'reports of a device that is gone',
    )
    expectSame(
      [await store.listPendingSearches('d1', 9, at(3)), await store.listPendingUploads('d1', 9, at(3))],
      [[], []],
      'its pending lists',
    )
    expectSame(await store.countPending('d1', at(3)), { searches: 0, uploads: 0 }, 'what is pending')
    expectSame(await store.deleteDevice('ann', 'd1'), undefined, 'deleting it again')
  }),
]

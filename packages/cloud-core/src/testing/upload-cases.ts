import type { StoredFile, UploadOutcome } from '../ports/upload-store.ts'
import { canceledUploadError, expiredUploadError } from '../uploads/expiry.ts'
import { expectRejection, expectSame, race } from '@homeward/kit/testing'
import type { CloudStoreCase } from './store-harness.ts'
import { at, deviceOf, onceOf, storeCase, uploadOf, withDevices } from './store-harness.ts'

const file: StoredFile = {
  blobId: 'b1',
  fileName: "it's ü.txt",
  size: 2 ** 40,
  links: { spacesFile: { publicUrl: 'https://f' } },
}
const completed: UploadOutcome = { status: 'completed', file }
const failed: UploadOutcome = { status: 'failed', error: 'no such file' }
const lease = (blobId: string, now = at(1), leaseUntil = at(20)) => ({
  id: 'u1',
  deviceId: 'd1',
  blobId,
  leaseUntil,
  now,
})
const report = (outcome: UploadOutcome, now = at(2)) => ({ id: 'u1', deviceId: 'd1', outcome, now })
const ids = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id)
const alreadyCanceled = { kind: 'already', status: 'canceled', error: canceledUploadError }
const alreadyExpired = { kind: 'already', status: 'failed', error: expiredUploadError }

/** Promises of `UploadStore`. */
export const uploadCases: readonly CloudStoreCase[] = [
  storeCase('adds upload requests and gives them back as they were', async ({ store }) => {
    await withDevices(store)
    const upload = uploadOf('u1', { filePath: "/home/ann's/ü 🗂️.txt" })
    expectSame(await store.insertUploads('ann', [upload], undefined), { kind: 'created' }, 'the outcome')
    const { id, filePath, destination, createdAt } = upload
    const pending = await store.listPendingUploads('d1', 9, at(1))
    expectSame(pending, [{ id, filePath, destination, createdAt }], 'the pending list')
    const open = { deviceName: 'Device d1', status: 'pending', file: null, error: null, completedAt: null }
    expectSame(
      (await store.listUploads('ann', {}, { limit: 9 }, at(1))).rows,
      [{ ...upload, ...open }],
      'the list',
    )
  }),
  storeCase('C20: adds all upload requests or none, and once', async ({ store }) => {
    await withDevices(store, [deviceOf('d1'), deviceOf('d2', { owner: 'bob' })])
    const foreign = [uploadOf('u1'), uploadOf('u2', { deviceId: 'd2' })]
    await store.insertUploads('ann', [uploadOf('used')], undefined)
    const clash = [uploadOf('u1'), uploadOf('used')]
    for (const once of [undefined, onceOf('k')]) {
      const { kind } = await store.insertUploads('ann', foreign, once)
      expectSame(kind, 'unknown_device', 'the outcome')
      await expectRejection(() => store.insertUploads('ann', clash, once), 'an id that is in use')
    }
    const outcomes = await race((index) => store.insertUploads('ann', [uploadOf(`r${index}`)], onceOf('k')))
    expectSame(outcomes.filter(({ kind }) => kind === 'created').length, 1, 'how many were created')
    expectSame(await store.insertUploads('ann', [], undefined), { kind: 'created' }, 'none at all')
    expectSame((await store.listPendingUploads('d1', 99, at(1))).length, 2, 'how many there are')
  }),
  storeCase(
    'C11: lists pending upload requests oldest first, then by id, up to the limit',
    async ({ store }) => {
      await withDevices(store)
      await store.insertUploads(
        'ann',
        [uploadOf('c', { createdAt: at(2) }), uploadOf('b'), uploadOf('a')],
        undefined,
      )
      expectSame(ids(await store.listPendingUploads('d1', 9, at(3))), ['a', 'b', 'c'], 'the order')
      expectSame(ids(await store.listPendingUploads('d1', 1, at(3))), ['a'], 'the first one')
      expectSame((await store.countPending('d1', at(3))).uploads, 3, 'the count')
    },
  ),
  storeCase('C4: a lease takes a request off the pending list until it runs out', async ({ store }) => {
    await withDevices(store)
    await store.insertUploads('ann', [uploadOf('u1')], undefined)
    const leased = { kind: 'leased', filePath: '/home/u1', supersededBlobId: null }
    expectSame(await store.leaseUpload(lease('b1')), leased, 'the first lease')
    expectSame(await store.listPendingUploads('d1', 9, at(19)), [], 'the pending list')
    expectSame((await store.countPending('d1', at(19))).uploads, 0, 'the count')
    expectSame(
      (await store.listUploads('ann', { status: 'uploading' }, { limit: 9 }, at(19))).rows.length,
      1,
      'the uploading ones',
    )
    expectSame(
      ids(await store.listPendingUploads('d1', 9, at(20))),
      ['u1'],
      'the pending list when it ran out',
    )
    expectSame((await store.countPending('d1', at(20))).uploads, 1, 'the count when it ran out')
    expectSame(await store.leaseUpload(lease('b1', at(21), at(40))), leased, 'a renewal')
    const next = await store.leaseUpload(lease('b2', at(22), at(50)))
    expectSame(next, { ...leased, supersededBlobId: 'b1' }, 'another attempt')
    expectSame(
      await store.leaseUpload({ ...lease('b3'), deviceId: 'd2' }),
      { kind: 'unknown' },
      "another device's lease",
    )
    expectSame(
      await store.leaseUpload({ ...lease('b3'), id: 'nothing' }),
      { kind: 'unknown' },
      'an unknown id',
    )
  }),
  storeCase('C4: a request that nobody serves expires, but not under a lease', async ({ store }) => {
    await withDevices(store)
    await store.insertUploads('ann', [uploadOf('u1'), uploadOf('u2')], undefined)
    await store.leaseUpload(lease('b1', at(95), at(120)))
    const list = async (status: 'failed' | 'uploading' | 'pending', now: string) =>
      ids((await store.listUploads('ann', { status }, { limit: 9 }, now)).rows)
    expectSame(
      [await list('failed', at(99)), await list('failed', at(100))],
      [[], ['u2']],
      'those that expired',
    )
    expectSame(await list('uploading', at(110)), ['u1'], 'the one under a lease')
    expectSame(await list('failed', at(110)), ['u2'], 'the one that expired')
    expectSame(
      await store.leaseUpload(lease('b1', at(110), at(130))),
      { kind: 'leased', filePath: '/home/u1', supersededBlobId: null },
      'a renewal',
    )
    expectSame(await list('failed', at(130)), ['u2', 'u1'], 'those that expired later')
    expectSame(await list('pending', at(130)), [], 'the pending ones')
    expectSame(await store.leaseUpload(lease('b2', at(130), at(150))), alreadyExpired, 'a lease too late')
    expectSame(await store.settleUpload(report(completed, at(130))), alreadyExpired, 'a report too late')
    expectSame(await store.cancelUpload('ann', 'u1', at(130)), alreadyExpired, 'a cancel too late')
    const [row] = (await store.listUploads('ann', { requestId: 'u2' }, { limit: 9 }, at(130))).rows
    expectSame([row?.error, row?.completedAt], [expiredUploadError, at(100)], 'the row')
  }),
  storeCase('C4: settles an upload request once, however many reports race', async ({ store }) => {
    await withDevices(store)
    await store.insertUploads('ann', [uploadOf('u1')], undefined)
    const outcomes = await race((index) =>
      store.settleUpload(report({ status: 'completed', file: { ...file, blobId: `b${index}` } })),
    )
    const winner = outcomes.findIndex(({ kind }) => kind === 'settled')
    const stored = { ...file, blobId: `b${winner}` }
    expectSame(outcomes.filter(({ kind }) => kind === 'settled').length, 1, 'how many settled it')
    const others = outcomes.filter(({ kind }) => kind !== 'settled')
    expectSame(
      others,
      Array.from({ length: 7 }, () => ({ kind: 'already', status: 'completed', file: stored })),
      'what the others get',
    )
    const [row] = (await store.listUploads('ann', { status: 'completed' }, { limit: 9 }, at(9))).rows
    expectSame([row?.file, row?.completedAt], [stored, at(2)], 'the row')
    expectSame((await store.leaseUpload(lease('b9'))).kind, 'already', 'a lease afterwards')
    expectSame(await store.listPendingUploads('d1', 9, at(3)), [], 'the pending list')
  }),
  storeCase('C6: a request may fail, and only its own device may say so', async ({ store }) => {
    await withDevices(store, [deviceOf('d1'), deviceOf('d2')])
    await store.insertUploads('ann', [uploadOf('u1'), uploadOf('u2')], undefined)
    expectSame(
      await store.settleUpload({ ...report(failed), deviceId: 'd2' }),
      { kind: 'unknown' },
      'another device',
    )
    expectSame(
      await store.settleUpload({ ...report(failed), id: 'nothing' }),
      { kind: 'unknown' },
      'an unknown id',
    )
    expectSame(await store.settleUpload(report(failed)), { kind: 'settled' }, 'its own device')
    expectSame(await store.settleUpload(report(completed)), { kind: 'already', ...failed }, 'a repeat')
    expectSame(await store.settleUpload({ ...report(failed), id: 'u2' }), { kind: 'settled' }, 'another one')
    const [row] = (await store.listUploads('ann', { status: 'failed' }, { limit: 9 }, at(9))).rows
    expectSame([row?.error, row?.file, row?.completedAt], ['no such file', null, at(2)], 'the row')
  }),
  storeCase('C4: cancels a request that is not over', async ({ store }) => {
    await withDevices(store)
    await store.insertUploads('ann', [uploadOf('u1'), uploadOf('u2')], undefined)
    expectSame(await store.cancelUpload('bob', 'u1', at(1)), { kind: 'unknown' }, "another owner's request")
    expectSame(await store.cancelUpload('ann', 'nothing', at(1)), { kind: 'unknown' }, 'an unknown id')
    await store.leaseUpload(lease('b1'))
    const canceled = { kind: 'canceled', deviceId: 'd1' }
    expectSame(await store.cancelUpload('ann', 'u1', at(2)), canceled, 'the first cancel')
    const again = { ...canceled, again: true }
    expectSame(await store.cancelUpload('ann', 'u1', at(200)), again, 'the second cancel')
    expectSame(await store.settleUpload(report(completed)), alreadyCanceled, 'a report afterwards')
    expectSame(await store.leaseUpload(lease('b2')), alreadyCanceled, 'a lease afterwards')
    const [row] = (await store.listUploads('ann', { status: 'canceled' }, { limit: 9 }, at(9))).rows
    expectSame([row?.id, row?.completedAt], ['u1', at(2)], 'the row')
    expectSame(ids(await store.listPendingUploads('d1', 9, at(3))), ['u2'], 'the pending list')
    await store.settleUpload({ ...report(failed), id: 'u2' })
    expectSame(
      await store.cancelUpload('ann', 'u2', at(3)),
      { kind: 'already', ...failed },
      'canceling what is over',
    )
  }),
  storeCase('C4: of a lease, a report and a cancel that race, one end is kept', async ({ store }) => {
    await withDevices(store)
    await store.insertUploads('ann', [uploadOf('u1')], undefined)
    const [, settled, canceled] = await Promise.all([
      store.leaseUpload(lease('b1')),
      store.settleUpload(report(completed)),
      store.cancelUpload('ann', 'u1', at(2)),
    ])
    const [row] = (await store.listUploads('ann', {}, { limit: 9 }, at(3))).rows
    expectSame(row?.status, settled.kind === 'settled' ? 'completed' : 'canceled', 'the row')
    expectSame([settled.kind, canceled.kind].includes('already'), true, 'whether the loser was told')
  }),
  storeCase('finds a file by its blob, for its owner', async ({ store }) => {
    await withDevices(store, [deviceOf('d1'), deviceOf('d2', { owner: 'bob' })])
    await store.insertUploads('ann', [uploadOf('u1')], undefined)
    await store.leaseUpload(lease('b1'))
    expectSame(await store.findFile('ann', 'b1'), undefined, 'a file that is not whole')
    await store.settleUpload(report(completed))
    expectSame(await store.findFile('ann', 'b1'), { ...file, deviceId: 'd1' }, 'the file')
    expectSame(await store.findFile('bob', 'b1'), undefined, "another owner's file")
    expectSame(await store.findFile('ann', 'b2'), undefined, 'an unknown blob')
    await store.insertUploads('ann', [uploadOf('u2')], undefined)
    const again = () => store.settleUpload({ ...report(completed), id: 'u2' })
    await expectRejection(again, 'a blob that another request has')
    expectSame(ids(await store.listPendingUploads('d1', 9, at(3))), ['u2'], 'the pending list')
  }),
  storeCase('tells which blobs no completed upload holds, whoever it belongs to', async ({ store }) => {
    await withDevices(store, [deviceOf('d1'), deviceOf('d2', { owner: 'bob' })])
    await store.insertUploads('ann', [uploadOf('u1')], undefined)
    await store.insertUploads('bob', [uploadOf('u2', { deviceId: 'd2' })], undefined)
    await store.leaseUpload(lease('b1'))
    expectSame(await store.filterUnusedBlobs(['b1', 'b2']), ['b1', 'b2'], 'while nothing is complete')
    await store.settleUpload(report(completed))
    const bobs = { ...completed, file: { ...file, blobId: 'b2' } } as const
    await store.settleUpload({ ...report(bobs), id: 'u2', deviceId: 'd2' })
    expectSame(await store.filterUnusedBlobs(['z', 'b2', 'y', 'b1']), ['z', 'y'], 'the unused ones')
    expectSame(await store.filterUnusedBlobs([]), [], 'those of none')
    await store.deleteDevice('ann', 'd1')
    expectSame(await store.filterUnusedBlobs(['b1', 'b2']), ['b1'], 'those of a device that is gone')
  }),
  storeCase('filters upload requests by id and device, each owner alone', async ({ store }) => {
    await withDevices(store, [deviceOf('d1'), deviceOf('d2'), deviceOf('d3', { owner: 'bob' })])
    await store.insertUploads('ann', [uploadOf('u1'), uploadOf('u2', { deviceId: 'd2' })], undefined)
    const list = async (filter: Parameters<typeof store.listUploads>[1], owner = 'ann') =>
      ids((await store.listUploads(owner, filter, { limit: 9 }, at(3))).rows)
    expectSame(await list({}), ['u2', 'u1'], 'all of them')
    expectSame(await list({ deviceId: 'd1' }), ['u1'], 'those of a device')
    expectSame(await list({ requestId: 'u2', deviceId: 'd2', status: 'pending' }), ['u2'], 'one by all three')
    expectSame(await list({ requestId: 'nothing' }), [], 'one by an unknown id')
    expectSame(await list({ requestId: 'u2', deviceId: 'd1' }), [], 'one by its id on another device')
    for (const filter of [{}, { deviceId: 'd1' }, { requestId: 'u1' }]) {
      expectSame(await list(filter, 'bob'), [], "another owner's list")
    }
  }),
]

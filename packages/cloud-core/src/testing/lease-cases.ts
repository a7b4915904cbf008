import type { LeaseOutcome } from '../ports/upload-store.ts'
import { expectSame, race } from '@homeward/kit/testing'
import type { CloudStoreCase } from './store-harness.ts'
import { at, deviceOf, storeCase, uploadOf, withDevices } from './store-harness.ts'

const requests = Array.from({ length: 8 }, (_, index) => `u${index}`)
const fill = <Kind extends string>(count: number, kind: Kind) => Array.from({ length: count }, () => kind)
const leaseOf = (id: string, seconds: number, deviceId = 'd1') => ({
  id,
  deviceId,
  blobId: `blob of ${id}`,
  leaseUntil: at(seconds + 10),
  now: at(seconds),
  maxLeases: 3,
})

/** Whose a lease is, and how many requests of a device may be under way (`UploadStore.leaseUpload`). */
export const leaseCases: readonly CloudStoreCase[] = [
  storeCase('C4: an attempt that yields leaves the lease that a newer one holds', async ({ store }) => {
    await withDevices(store)
    await store.insertUploads('ann', [uploadOf('u1')], undefined)
    const attempt = (blobId: string, seconds: number) => ({ ...leaseOf('u1', seconds), blobId })
    const ending = (blobId: string, seconds: number) => ({
      ...attempt(blobId, seconds),
      leaseUntil: at(seconds),
      yields: true,
    })
    const pending = async (seconds: number) =>
      (await store.listPendingUploads('d1', 9, at(seconds))).map(({ id }) => id)
    await store.leaseUpload(attempt('older', 1))
    await store.leaseUpload(attempt('newer', 2))
    const held = { kind: 'held', filePath: '/home/u1' }
    expectSame(await store.leaseUpload(ending('older', 3)), held, 'an end by the older attempt')
    const renewal = { ...attempt('older', 4), yields: true }
    expectSame(await store.leaseUpload(renewal), held, 'a renewal by the older attempt')
    expectSame([await pending(11), await pending(12)], [[], ['u1']], 'the pending list')
    const renewed = await store.leaseUpload({ ...attempt('newer', 5), yields: true })
    expectSame(renewed, { kind: 'leased', filePath: '/home/u1', supersededBlobId: null }, 'its own renewal')
    expectSame((await store.leaseUpload(ending('newer', 6))).kind, 'leased', 'an end by the newer attempt')
    expectSame(await pending(6), ['u1'], 'the pending list when its attempt ended it')
    expectSame((await store.leaseUpload({ ...renewal, now: at(7) })).kind, 'leased', 'what nobody holds')
    expectSame(await pending(7), [], 'the pending list afterwards')
  }),
  storeCase('C4: a lease that a clock wrote which was put back is over', async ({ store }) => {
    await withDevices(store)
    const ids = ['ahead', 'skewed', 'dropped', 'gone']
    await store.insertUploads(
      'ann',
      ids.map((id) => uploadOf(id, { expiresAt: at(id === 'gone' ? 5 : 100) })),
      undefined,
    )
    const [day, minute] = [86_400, 60]
    for (const [id, seconds] of [
      ['ahead', day],
      ['skewed', 15 * minute],
      ['gone', day],
    ] as const)
      await store.leaseUpload({ ...leaseOf(id, 1), leaseUntil: at(seconds), maxLeases: 9 })

    const pending = await store.listPendingUploads('d1', 9, at(2))
    expectSame(
      pending.map(({ id }) => id),
      ['ahead', 'dropped', 'gone'],
      'the pending list',
    )
    expectSame((await store.countPending('d1', at(2))).uploads, 3, 'the count of what waits')
    const listed = async (status: 'uploading' | 'pending' | 'failed', seconds: number) =>
      (await store.listUploads('ann', { status }, { limit: 9 }, at(seconds))).rows
        .map(({ id }) => id)
        .toSorted()
    expectSame(await listed('uploading', 2), ['skewed'], 'what is under way')
    expectSame(await listed('pending', 2), ['ahead', 'dropped', 'gone'], 'what waits for the device')
    expectSame(await listed('failed', 6), ['gone'], 'what has expired')
    const late = {
      id: 'gone',
      deviceId: 'd1',
      outcome: { status: 'failed', error: 'no' },
      now: at(6),
    } as const
    expectSame((await store.settleUpload(late)).kind, 'already', 'a report behind the end')
    const yielding = { ...leaseOf('ahead', 2), blobId: 'newer', yields: true, maxLeases: 2 }
    expectSame((await store.leaseUpload(yielding)).kind, 'leased', 'an attempt that yields')
    expectSame(await listed('uploading', 2), ['ahead', 'skewed'], 'what is under way afterwards')
  }),
  storeCase('C4: an attempt that ends while the next one begins takes nothing from it', async ({ store }) => {
    await withDevices(store)
    const ids = requests.map((id) => `race ${id}`)
    await store.insertUploads(
      'ann',
      ids.map((id) => uploadOf(id)),
      undefined,
    )
    const { maxLeases: _, ...older } = leaseOf('', 1)
    for (const id of ids) await store.leaseUpload({ ...older, id, blobId: `older ${id}` })
    await race(async (index) => {
      const id = ids[index] ?? ''
      const end = { ...older, id, blobId: `older ${id}`, leaseUntil: at(1), yields: true }
      await Promise.all([
        store.leaseUpload(end),
        store.leaseUpload({ ...older, id, blobId: `newer ${id}` }),
        store.leaseUpload(end),
      ])
    })
    expectSame(await store.listPendingUploads('d1', 9, at(2)), [], 'the pending list')
  }),
  storeCase('C25: gives out as many leases as a device may hold, however many race', async ({ store }) => {
    await withDevices(store, [deviceOf('d1'), deviceOf('d2')])
    await store.insertUploads(
      'ann',
      requests.map((id) => uploadOf(id)),
      undefined,
    )
    // Again when they all ran out: by then a store has its connections, and nothing keeps the racers apart.
    let outcomes: readonly LeaseOutcome[] = []
    for (const seconds of [1, 21, 41, 61]) {
      outcomes = await race((index) => store.leaseUpload(leaseOf(`u${index}`, seconds)))
      const kinds = outcomes.map(({ kind }) => kind).toSorted()
      expectSame(kinds, [...fill(5, 'busy'), ...fill(3, 'leased')], `what became of them at ${seconds} s`)
    }
    const leased = requests.filter((_, index) => outcomes[index]?.kind === 'leased')
    const busy = requests.filter((_, index) => outcomes[index]?.kind === 'busy')
    const uploading = await store.listUploads('ann', { status: 'uploading' }, { limit: 9 }, at(62))
    expectSame(uploading.rows.map(({ id }) => id).toSorted(), leased, 'those under way')

    const [first = '', second = ''] = leased
    const [waiting = '', next = ''] = busy
    expectSame((await store.leaseUpload(leaseOf(first, 62))).kind, 'leased', 'a renewal at the limit')
    expectSame((await store.leaseUpload(leaseOf(waiting, 62))).kind, 'busy', 'one more')
    await store.insertUploads('ann', [uploadOf('other', { deviceId: 'd2' })], undefined)
    expectSame((await store.leaseUpload(leaseOf('other', 62, 'd2'))).kind, 'leased', "another device's lease")
    const outcome = { status: 'failed', error: 'no' } as const
    await store.settleUpload({ id: second, deviceId: 'd1', outcome, now: at(63) })
    expectSame((await store.leaseUpload(leaseOf(waiting, 63))).kind, 'leased', 'one more after one ended')
    expectSame((await store.leaseUpload(leaseOf(next, 63))).kind, 'busy', 'one more after that')
    expectSame((await store.leaseUpload(leaseOf(next, 71))).kind, 'leased', 'one more after one ran out')
  }),
  storeCase(
    'C25: counts a lease that outlives its request, also when more work has come',
    async ({ store }) => {
      await withDevices(store)
      const [held, others] = [requests.slice(0, 3), requests.slice(3)]
      await store.insertUploads(
        'ann',
        [...held, ...others].map((id) => uploadOf(id)),
        undefined,
      )
      for (const id of held) await store.leaseUpload(leaseOf(id, 95))
      const late = uploadOf('late', { createdAt: at(101), expiresAt: at(200) })
      await store.insertUploads('ann', [late], undefined)
      expectSame((await store.leaseUpload(leaseOf('late', 104))).kind, 'busy', 'one more')
      expectSame((await store.leaseUpload(leaseOf('late', 105))).kind, 'leased', 'one more when they ran out')
    },
  ),
]

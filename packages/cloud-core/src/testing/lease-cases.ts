import type { LeaseOutcome } from '../ports/upload-store.ts'
import { expectSame } from './expect.ts'
import type { CloudStoreCase } from './store-harness.ts'
import { at, deviceOf, race, storeCase, uploadOf, withDevices } from './store-harness.ts'

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

/** How many requests of a device may be under way (`UploadStore.leaseUpload`). */
export const leaseCases: readonly CloudStoreCase[] = [
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

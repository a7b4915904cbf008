import { expectSame } from '@homeward/kit/testing'
import type { CloudStoreCase } from './store-harness.ts'
import { at, deviceOf, onceOf, searchOf, storeCase, uploadOf, withDevices } from './store-harness.ts'

const names = ['devices', 'pendingPerDevice', 'searchesPerDay', 'storedBytes'] as const
const refused = 'quota_exceeded'

/** Promises of `QuotaStore`, and of work that is rejected from the beginning. */
export const quotaCases: readonly CloudStoreCase[] = [
  storeCase('counts what an owner uses, without work that has ended or was rejected', async ({ store }) => {
    const usageOf = async (owner: string, day: string, now: string) => {
      const used: number[] = []
      for (const name of names) used.push(await store.readUsage(owner, name, { day, now }))
      return used
    }
    expectSame(await usageOf('ann', at(0), at(0)), [0, 0, 0, 0], 'the usage of nobody')
    await withDevices(store, [deviceOf('d1'), deviceOf('d2'), deviceOf('d3', { owner: 'bob' })])
    await store.insertSearches(
      'ann',
      [
        searchOf('q1'),
        searchOf('q2', { deviceId: 'd2', createdAt: at(5) }),
        searchOf('q3', { createdAt: at(6), expiresAt: at(50) }),
        searchOf('q4', { createdAt: at(6), refused }),
      ],
      undefined,
    )
    await store.insertSearches('bob', [searchOf('q5', { deviceId: 'd3' })], undefined)
    const uploads = [uploadOf('u1'), uploadOf('u2', { refused }), uploadOf('u3', { deviceId: 'd2' })]
    await store.insertUploads('ann', uploads, undefined)
    expectSame(await usageOf('ann', at(0), at(10)), [2, 3, 3, 0], 'the usage of ann')
    expectSame(await usageOf('ann', at(5), at(60)), [2, 2, 2, 0], 'later: q3 has expired')
    expectSame(await usageOf('bob', at(0), at(10)), [1, 1, 1, 0], 'the usage of bob')
    const file = { blobId: 'b1', fileName: 'a', size: 3_000_000_000, links: {} }
    const settled = { id: 'u3', deviceId: 'd2', now: at(20) }
    await store.leaseUpload({ ...settled, blobId: 'b1', leaseUntil: at(30) })
    await store.settleUpload({ ...settled, outcome: { status: 'completed', file } })
    expectSame(
      await store.readUsage('ann', 'storedBytes', { day: at(0), now: at(20) }),
      3_000_000_000,
      'bytes',
    )
  }),
  storeCase(
    'stores work that is rejected from the beginning as failed, and gives it to no device',
    async ({ store }) => {
      await withDevices(store)
      await store.insertSearches('ann', [searchOf('q1', { refused })], undefined)
      await store.insertUploads('ann', [uploadOf('u1', { refused })], undefined)
      expectSame(await store.listPendingSearches('d1', 9, at(1)), [], 'the pending searches')
      expectSame(await store.listPendingUploads('d1', 9, at(1)), [], 'the pending uploads')
      expectSame(await store.countPending('d1', at(1)), { searches: 0, uploads: 0 }, 'the counts')
      const [search] = (await store.listSearches('ann', { status: 'failed' }, { limit: 9 }, at(1))).rows
      expectSame(
        [search?.status, search?.error, search?.completedAt],
        ['failed', refused, at(0)],
        'the search',
      )
      const [upload] = (await store.listUploads('ann', { status: 'failed' }, { limit: 9 }, at(1))).rows
      expectSame(
        [upload?.status, upload?.error, upload?.completedAt],
        ['failed', refused, at(0)],
        'the upload',
      )
    },
  ),
  storeCase('C20: finds an earlier creation until it expires', async ({ store }) => {
    await withDevices(store)
    const once = onceOf('k1')
    expectSame(await store.findCreation(once), undefined, 'what nobody created')
    await store.insertSearches('ann', [searchOf('q1')], once)
    const repeated = { kind: 'repeated', fingerprint: 'print', reply: '{"id":1}' }
    expectSame(await store.findCreation({ ...once, createdAt: at(99) }), repeated, 'the creation')
    expectSame(await store.findCreation({ ...once, createdAt: at(100) }), undefined, 'an expired one')
    expectSame(await store.findCreation({ ...once, scope: 'bob:create' }), undefined, 'one of another scope')
  }),
]

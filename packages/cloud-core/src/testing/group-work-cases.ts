import { expectSame, race } from '@homeward/kit/testing'
import type { CloudStoreCase } from './store-harness.ts'
import { at, deviceOf, groupOf, storeCase, withDevices } from './store-harness.ts'

const page = { limit: 9 }
const lease = (leaseId: string, now: number) => ({ leaseId, now: at(now), leaseUntil: at(now + 20) })
const after = { createdAt: at(0), id: 'd1' }
const ids = (rows: readonly { readonly id: string }[] | undefined) => rows?.map(({ id }) => id)

/** Promises of `GroupStore` about the rows of large groups, which are made bit by bit. */
export const groupWorkCases: readonly CloudStoreCase[] = [
  storeCase('C32: leases a group to one process at a time, oldest first', async ({ store }) => {
    await withDevices(store)
    const filter = { labels: ['a'], text: 'ü"%' }
    const rest = { unmade: 3, after }
    expectSame(await store.claimGroup(lease('p', 0)), undefined, 'the claim where there is nothing to do')
    await store.insertSearches('ann', [], undefined, [], groupOf('done'))
    await store.insertSearches('ann', [], undefined, [], groupOf('g1', { filter, rest }))
    const upload = groupOf('g2', { kind: 'upload', createdAt: at(1), rest: { unmade: 2, after: null } })
    await store.insertUploads('bob', [], undefined, [], upload)
    const claims = await race((index) => store.claimGroup(lease(`p${index}`, 2)))
    const groups = claims.flatMap((claim) => (claim && 'group' in claim ? [claim.group] : []))
    const first = { id: 'g1', owner: 'ann', kind: 'search', task: 'make', filter, rest }
    const second = { id: 'g2', owner: 'bob', kind: 'upload', task: 'make', filter: {}, rest: upload.rest }
    expectSame(
      groups.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
      [first, second],
      'the claimed groups',
    )
    const others = claims.flatMap((claim) => (claim && 'retryAt' in claim ? [claim.retryAt] : []))
    expectSame(others.length, 6, 'the other claims')
    // a database may not yet show the claim that another process is making: then it is asked again at once
    const wrong = others.filter((retryAt) => retryAt !== at(22) && retryAt !== at(2))
    expectSame(wrong, [], 'the times of the other claims')
    const late = await store.claimGroup(lease('late', 22))
    expectSame(late, { group: first }, 'the claim when the lease is over')
    const past = await store.claimGroup(lease('past', -100))
    expectSame(past, { group: first }, 'the claim by a clock that was put back')
  }),
  storeCase('C32: adds rows for the devices that are there, and renews the lease', async ({ store }) => {
    await withDevices(store, [deviceOf('d1'), deviceOf('d2'), deviceOf('d3', { owner: 'bob' })])
    await store.insertSearches('ann', [], undefined, [], groupOf('g1', { rest: { unmade: 9, after: null } }))
    await store.claimGroup(lease('p', 0))
    const work = ['d1', 'd3', 'gone'].map((deviceId) => ({ id: `s-${deviceId}`, deviceId }))
    const made = await store.extendGroup({
      id: 'g1',
      ...lease('p', 10),
      work,
      rest: { unmade: 1, after },
    })
    expectSame(made, [{ id: 's-d1', deviceId: 'd1' }], 'the rows')
    const { rows } = await store.listSearches('ann', { groupId: 'g1' }, page, at(1))
    const shown = rows.map((row) => [row.query, row.scope, row.createdAt, row.expiresAt, row.groupId])
    expectSame(shown, [['find g1', ['files', 'apps'], at(0), at(100), 'g1']], 'the search')
    expectSame(ids(await store.listPendingSearches('d1', 9, at(1))), ['s-d1'], 'the pending list')
    const counts = (await store.findGroup('ann', 'g1', at(1)))?.counts
    expectSame(counts, { pending: 2, completed: 0, failed: 0 }, 'the counts')
    expectSame(await store.claimGroup(lease('q', 25)), { retryAt: at(30) }, 'a claim meanwhile')
    const last = { id: 'g1', ...lease('p', 12), work: [{ id: 's-d2', deviceId: 'd2' }], rest: null }
    expectSame(ids(await store.extendGroup(last)), ['s-d2'], 'the last rows')
    expectSame(await store.extendGroup(last), undefined, 'rows of a group that is done')
    expectSame(await store.claimGroup(lease('q', 99)), undefined, 'a claim afterwards')
    expectSame((await store.findGroup('ann', 'g1', at(1)))?.total, 2, 'the total')
  }),
  storeCase('C32: adds no rows for a process whose lease another one has', async ({ store }) => {
    await withDevices(store)
    const group = groupOf('g1', { kind: 'upload', rest: { unmade: 1, after: null } })
    await store.insertUploads('ann', [], undefined, [], group)
    await store.claimGroup(lease('p', 0))
    await store.claimGroup(lease('q', 30))
    const work = [{ id: 'u1', deviceId: 'd1' }]
    const extend = (leaseId: string) =>
      store.extendGroup({ id: 'g1', ...lease(leaseId, 31), work, rest: null })
    expectSame(await extend('p'), undefined, 'the rows of the first process')
    expectSame(await extend('q'), work, 'the rows of the second one')
    const [row] = (await store.listUploads('ann', { groupId: 'g1' }, page, at(1))).rows
    expectSame([row?.filePath, row?.destination], ['find g1', 'cloud'], 'the upload request')
  }),
  storeCase(
    'C32: makes no more rows of a group that is removed, and gives it away to be ended',
    async ({ store }) => {
      await withDevices(store)
      await store.insertSearches(
        'ann',
        [],
        undefined,
        [],
        groupOf('g1', { rest: { unmade: 1, after: null } }),
      )
      await store.claimGroup(lease('p', 0))
      await store.removeGroup('ann', 'g1')
      const work = [{ id: 's1', deviceId: 'd1' }]
      const made = await store.extendGroup({ id: 'g1', ...lease('p', 1), work, rest: null })
      expectSame(made, undefined, 'the rows')
      const claim = await store.claimGroup(lease('q', 1))
      expectSame(claim && 'group' in claim && claim.group.task, 'remove', 'what is to be done')
      await store.endGroupSearches('g1', 9, at(1))
      expectSame(await store.claimGroup(lease('q', 99)), undefined, 'the claim afterwards')
    },
  ),
]

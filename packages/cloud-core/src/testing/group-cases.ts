import type { CloudStore } from '../ports/cloud-store.ts'
import type { PagePosition } from '../ports/page.ts'
import type { SearchOutcome } from '../ports/search-store.ts'
import { canceledSearchError } from '../searches/expiry.ts'
import { expectRejection, expectSame } from '@homeward/kit/testing'
import type { CloudStoreCase } from './store-harness.ts'
import { at, auditOf, deviceOf, groupOf, onceOf, searchOf, storeCase, withDevices } from './store-harness.ts'
import { uploadOf } from './store-harness.ts'

const completed: SearchOutcome = { status: 'completed', results: { files: [] }, error: null }
const failed: SearchOutcome = { status: 'failed', results: null, error: 'no' }
const page = { limit: 9 }
const ids = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id)

/** Three searches of `d1` and one of `d2` in the group `g1`: completed, failed, pending, pending. */
async function withGroup(store: CloudStore): Promise<void> {
  await withDevices(store, [deviceOf('d1'), deviceOf('d2')])
  const searches = ['s1', 's2', 's3'].map((id) => searchOf(id, { groupId: 'g1' }))
  const other = searchOf('s4', { groupId: 'g1', deviceId: 'd2' })
  await store.insertSearches('ann', [...searches, other], undefined, [], groupOf('g1'))
  await store.insertSearches('ann', [searchOf('alone')], undefined)
  await store.settleSearch({
    id: 's1',
    deviceId: 'd1',
    outcome: { ...completed, results: null, resultsBlobId: 'b1', filesFound: 3 },
    now: at(5),
  })
  await store.settleSearch({ id: 's2', deviceId: 'd1', outcome: failed, now: at(5) })
}

const audit = {
  canceled: auditOf('a1', { action: 'search:canceled', deviceId: null }),
  erased: auditOf('a2', { action: 'search:erased', deviceId: null }),
}

/** Promises of `GroupStore`. */
export const groupCases: readonly CloudStoreCase[] = [
  storeCase('C32: counts the searches of a group, expiry included, and adds them up', async ({ store }) => {
    await withGroup(store)
    const shown = {
      id: 'g1',
      query: 'find g1',
      scope: ['files', 'apps'],
      filter: null,
      savedSearchId: null,
      createdAt: at(0),
      total: 4,
      filesFound: 3,
    }
    const before = { ...shown, counts: { pending: 2, completed: 1, failed: 1 } }
    expectSame(await store.findGroup('ann', 'g1', at(9)), before, 'the group')
    const after = { ...shown, counts: { pending: 0, completed: 1, failed: 3 } }
    expectSame(await store.findGroup('ann', 'g1', at(100)), after, 'the group when its time is over')
    await store.insertSearches('ann', [searchOf('new', { createdAt: at(200) })], undefined)
    expectSame(await store.findGroup('ann', 'g1', at(200)), after, 'the group later on')
    await store.deleteDevice('ann', 'd2')
    const rest = { ...shown, total: 3, counts: { pending: 0, completed: 1, failed: 2 } }
    expectSame(await store.findGroup('ann', 'g1', at(200)), rest, 'the group without a device')
    expectSame(await store.findGroup('bob', 'g1', at(9)), undefined, "another owner's group")
    expectSame(await store.findGroup('ann', 'nothing', at(9)), undefined, 'an unknown group')
  }),
  storeCase('C32: rows that are not made yet count as pending until the group expires', async ({ store }) => {
    await withDevices(store)
    const group = groupOf('g1', { rest: { unmade: 5, after: { createdAt: at(0), id: 'd1' } } })
    await store.insertSearches('ann', [searchOf('s1', { groupId: 'g1' })], undefined, [], group)
    const counts = async (now: string) => (await store.findGroup('ann', 'g1', now))?.counts
    expectSame(await counts(at(9)), { pending: 6, completed: 0, failed: 0 }, 'the counts')
    expectSame(await counts(at(100)), { pending: 0, completed: 0, failed: 6 }, 'the counts then')
  }),
  storeCase('C32: adds a group with its work, or neither, also one of no devices', async ({ store }) => {
    await withDevices(store)
    const stray = [searchOf('s1', { groupId: 'g1', deviceId: 'nowhere' })]
    await store.insertSearches('ann', stray, undefined, [], groupOf('g1'))
    expectSame(await store.findGroup('ann', 'g1', at(1)), undefined, 'a group of nothing')
    await store.insertSearches('ann', [], onceOf('k'), [auditOf('a1')], groupOf('g1'))
    await store.insertSearches('ann', [], onceOf('k'), [auditOf('a2')], groupOf('g2'))
    await store.insertUploads(
      'ann',
      [uploadOf('u1', { groupId: 'g3' })],
      undefined,
      [],
      groupOf('g3', { kind: 'upload' }),
    )
    const clash = () => store.insertSearches('ann', [searchOf('s2')], undefined, [], groupOf('g3'))
    await expectRejection(clash, 'a group whose id is in use')
    expectSame(ids((await store.listGroups('ann', {}, page, at(1))).rows), ['g1'], 'the groups of searches')
    expectSame((await store.findGroup('ann', 'g1', at(1)))?.total, 0, 'the total of one without devices')
    expectSame(await store.findGroup('ann', 'g3', at(1)), undefined, 'a group of upload requests')
    expectSame(ids((await store.listAudit('ann', {}, page, at(1))).rows), ['a1'], 'the audit')
    expectSame(ids((await store.listSearches('ann', {}, page, at(1))).rows), [], 'the searches')
  }),
  storeCase('C11, C32: pages through groups newest first, each with its counts', async ({ store }) => {
    await withDevices(store)
    for (const [index, id] of ['g0', 'g1', 'g2', 'g3', 'g4'].entries()) {
      const times = { createdAt: at(Math.floor(index / 2)) }
      const searches = index === 3 ? [searchOf('s1', { ...times, groupId: id })] : []
      await store.insertSearches('ann', searches, undefined, [], groupOf(id, times))
    }
    const seen: [string, number][] = []
    let after: PagePosition | undefined
    do {
      const found = await store.listGroups('ann', {}, { limit: 2, ...(after && { after }) }, at(9))
      seen.push(...found.rows.map(({ id, total }): [string, number] => [id, total]))
      after = found.next
    } while (after !== undefined)
    const wanted = [4, 3, 2, 1, 0].map((index) => [`g${index}`, index === 3 ? 1 : 0])
    expectSame(seen, wanted, 'the groups')
    expectSame((await store.listGroups('bob', {}, page, at(9))).rows, [], "another owner's groups")
  }),
  storeCase('C32: lists the work of a group, also by device, status and id', async ({ store }) => {
    await withGroup(store)
    const list = async (filter: Parameters<typeof store.listSearches>[1]) =>
      ids((await store.listSearches('ann', { groupId: 'g1', ...filter }, page, at(9))).rows)
    expectSame(await list({}), ['s4', 's3', 's2', 's1'], 'all of them')
    expectSame(await list({ deviceId: 'd2' }), ['s4'], 'those of a device')
    expectSame(await list({ status: 'pending' }), ['s4', 's3'], 'the pending ones')
    expectSame(await list({ deviceId: 'd1', status: 'failed' }), ['s2'], 'the failed ones of a device')
    expectSame(await list({ queryId: 's1' }), ['s1'], 'one by its id')
    expectSame(await list({ queryId: 'alone' }), [], 'one of another group by its id')
    expectSame(await list({ groupId: 'nothing' }), [], 'those of an unknown group')
    const [row] = (await store.listSearches('ann', { queryId: 's1' }, page, at(9))).rows
    expectSame(row?.groupId, 'g1', 'the group of a search')
    const bobs = await store.listSearches('bob', { groupId: 'g1' }, page, at(9))
    expectSame(bobs.rows, [], "those of another owner's group")
    const requests = [uploadOf('u1', { groupId: 'g2' }), uploadOf('u2')]
    await store.insertUploads('ann', requests, undefined, [], groupOf('g2', { kind: 'upload' }))
    const uploads = (await store.listUploads('ann', { groupId: 'g2' }, page, at(9))).rows
    expectSame(
      uploads.map(({ id, groupId }) => [id, groupId]),
      [['u1', 'g2']],
      'the upload requests',
    )
  }),
  storeCase('C32: cancels a pending search once, and a report afterwards gets told so', async ({ store }) => {
    await withGroup(store)
    const canceled = await store.endSearch('ann', 's3', at(9), audit)
    expectSame(canceled, { kind: 'canceled', deviceId: 'd1', groupId: 'g1', blobIds: [] }, 'the outcome')
    const [row] = (await store.listSearches('ann', { queryId: 's3' }, page, at(10))).rows
    expectSame(
      [row?.status, row?.error, row?.completedAt, row?.results],
      ['failed', canceledSearchError, at(9), null],
      'the row',
    )
    expectSame(ids(await store.listPendingSearches('d1', 9, at(10))), ['alone'], 'the pending list')
    const late = await store.settleSearch({ id: 's3', deviceId: 'd1', outcome: completed, now: at(10) })
    expectSame(late, { kind: 'already', status: 'failed', error: canceledSearchError }, 'a late report')
    const [entry] = (await store.listAudit('ann', {}, page, at(10))).rows
    expectSame([entry?.id, entry?.deviceId], ['a1', 'd1'], 'the audit')
    const counts = (await store.findGroup('ann', 'g1', at(10)))?.counts
    expectSame(counts, { pending: 1, completed: 1, failed: 2 }, 'the counts')
  }),
  storeCase('C32: erases a settled search with its results', async ({ store }) => {
    await withGroup(store)
    for (const [owner, id] of [
      ['bob', 's1'],
      ['ann', 'nothing'],
    ] as const)
      expectSame(await store.endSearch(owner, id, at(9), audit), { kind: 'unknown' }, 'a foreign search')
    const erased = await store.endSearch('ann', 's1', at(9), audit)
    expectSame(erased, { kind: 'erased', deviceId: 'd1', groupId: 'g1', blobIds: ['b1'] }, 'the outcome')
    expectSame(await store.filterUnusedBlobs(['b1']), ['b1'], 'the file of the results')
    expectSame(await store.listBlobRemovals(9), ['b1'], 'the files that are noted for removal')
    expectSame(await store.endSearch('ann', 's1', at(9)), { kind: 'unknown' }, 'the outcome of a repeat')
    expectSame((await store.listSearches('ann', { queryId: 's1' }, page, at(9))).rows, [], 'the row')
    const again = await store.settleSearch({ id: 's1', deviceId: 'd1', outcome: completed, now: at(9) })
    expectSame(again, { kind: 'unknown' }, 'a report afterwards')
    expectSame((await store.findGroup('ann', 'g1', at(9)))?.total, 3, 'the total')
    expectSame(ids((await store.listAudit('ann', {}, page, at(9))).rows), ['a2'], 'the audit')
    const expired = await store.endSearch('ann', 's4', at(100))
    expectSame(
      expired,
      { kind: 'erased', deviceId: 'd2', groupId: 'g1', blobIds: [] },
      'the outcome of one that expired',
    )
  }),
  storeCase('C32: gives a group once when none of its searches is pending any more', async ({ store }) => {
    await withGroup(store)
    await store.insertSearches('ann', [], undefined, [], groupOf('empty'))
    expectSame((await store.settleGroups(['g1'], at(9))).settled, [], 'groups with pending searches')
    for (const [id, deviceId] of [
      ['s3', 'd1'],
      ['s4', 'd2'],
    ] as const) {
      const outcome = await store.settleSearch({ id, deviceId, outcome: failed, now: at(9) })
      expectSame(outcome, { kind: 'settled', groupId: 'g1' }, 'the outcome')
    }
    const nextAt = groupOf('empty').expiresAt
    const settled = { settled: [{ id: 'g1', owner: 'ann' }], nextAt }
    expectSame(await store.settleGroups(['g1', 'unknown'], at(9)), settled, 'what a look finds')
    expectSame(await store.settleGroups(['g1'], at(9)), { settled: [], nextAt }, 'what the next look finds')
    const expired = { settled: [{ id: 'empty', owner: 'ann' }], nextAt: null }
    expectSame(await store.settleGroups([], nextAt), expired, 'what a look finds when groups have expired')
  }),
  storeCase('C30: ends some searches of a group, and no others', async ({ store }) => {
    await withDevices(store, [deviceOf('d1'), deviceOf('d2', { owner: 'bob' })])
    const named = ['s1', 's2', 's3'].map((id) => searchOf(id, { groupId: 'g1' }))
    await store.insertSearches('ann', named, undefined, [], groupOf('g1'))
    await store.insertSearches('bob', [searchOf('b1', { deviceId: 'd2' })], undefined)
    const outcome = completed
    await store.settleSearch({ id: 's2', deviceId: 'd1', outcome, now: at(2) })
    const ended = await store.endSearches('ann', ['s1', 's2', 'b1', 'unknown'], at(3))
    expectSame([ended.canceled, ended.blobIds], [[{ id: 's1', deviceId: 'd1' }], []], 'what was ended')
    const counts = (await store.findGroup('ann', 'g1', at(3)))?.counts
    expectSame(counts, { pending: 1, completed: 0, failed: 0 }, 'the group')
    const rows = (await store.listSearches('ann', {}, { limit: 9 }, at(3))).rows
    const left = rows.map((row) => `${row.id} ${row.status} ${row.groupId}`)
    expectSame(left.toSorted(), ['s1 failed null', 's3 pending g1'], 'the searches')
    const others = await store.listPendingSearches('d2', 9, at(3))
    expectSame(
      others.map(({ id }) => id),
      ['b1'],
      'a search of another owner',
    )
    expectSame((await store.endSearches('ann', [], at(3))).canceled, [], 'what is ended of nothing')
  }),
  storeCase('C32: removes a group once, and ends its searches a few at a time', async ({ store }) => {
    await withGroup(store)
    expectSame(await store.removeGroup('bob', 'g1', [auditOf('a1')]), false, "another owner's group")
    const untouched = await store.endGroupSearches('g1', 9, at(9))
    expectSame(
      untouched,
      { canceled: [], blobIds: [], isDone: true },
      'the outcome for a group that is not removed',
    )
    expectSame(await store.removeGroup('ann', 'g1', [auditOf('a2')]), true, 'the outcome')
    expectSame(await store.removeGroup('ann', 'g1', [auditOf('a3')]), false, 'the outcome of a repeat')
    expectSame(await store.findGroup('ann', 'g1', at(9)), undefined, 'the group')
    expectSame((await store.listGroups('ann', {}, page, at(9))).rows, [], 'the groups')
    expectSame(ids((await store.listAudit('ann', {}, page, at(9))).rows), ['a2'], 'the audit')
    const canceled: string[] = []
    const files: string[] = []
    let rounds = 0
    for (let isDone = false; !isDone; rounds += 1) {
      const batch = await store.endGroupSearches('g1', 2, at(9))
      canceled.push(...ids(batch.canceled))
      files.push(...batch.blobIds)
      isDone = batch.isDone
    }
    expectSame(canceled.toSorted(), ['s3', 's4'], 'the canceled searches')
    expectSame(files, ['b1'], 'the files of erased results')
    expectSame(await store.listBlobRemovals(9), ['b1'], 'the files that are noted for removal')
    expectSame(rounds, 3, 'the number of batches')
    const rows = (await store.listSearches('ann', {}, page, at(9))).rows
    expectSame(
      rows.map(({ id, status, groupId }) => `${id} ${status} ${groupId}`),
      ['s4 failed null', 's3 failed null', 'alone pending null'],
      'the searches that are left',
    )
    expectSame((await store.listSearches('ann', { groupId: 'g1' }, page, at(9))).rows, [], 'the group')
    await store.insertSearches('ann', [], undefined, [], groupOf('g1'))
  }),
]

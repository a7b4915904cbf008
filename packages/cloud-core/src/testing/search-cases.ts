import type { SearchOutcome } from '../ports/search-store.ts'
import { expiredSearchError } from '../searches/expiry.ts'
import { expectRejection, expectSame, race } from '@homeward/kit/testing'
import type { CloudStoreCase } from './store-harness.ts'
import { at, deviceOf, groupOf, onceOf, searchOf, storeCase, uploadOf, withDevices } from './store-harness.ts'

const completed: SearchOutcome = { status: 'completed', results: { files: [], own: "a'b 🗂️" }, error: null }
/** What a device says may hold anything, also what databases do not keep as it is. */
const oddText = 'policy_denied: "/" \u0000 \u00100 \ud83d 🔎'
const failed: SearchOutcome = { status: 'failed', results: null, error: oddText }
const ids = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id)

/** Promises of `SearchStore`. */
export const searchCases: readonly CloudStoreCase[] = [
  storeCase('adds searches and gives them back as they were', async ({ store }) => {
    await withDevices(store)
    const search = searchOf('s1', { query: 'it\'s 100% "ü" _ \\ 🔎' })
    expectSame(await store.insertSearches('ann', [search], undefined), { kind: 'created' }, 'the outcome')
    const { id, query, scope, createdAt } = search
    expectSame(
      await store.listPendingSearches('d1', 9, at(1)),
      [{ id, query, scope, createdAt }],
      'the pending list',
    )
    const open = {
      deviceName: 'Device d1',
      status: 'pending',
      results: null,
      filesFound: 0,
      error: null,
      completedAt: null,
    }
    expectSame(
      (await store.listSearches('ann', {}, { limit: 9 }, at(1))).rows,
      [{ ...search, ...open }],
      'the list',
    )
  }),
  storeCase(
    'keeps what a search selects, and settles it only with an outcome that was cut to it',
    async ({ store }) => {
      await withDevices(store)
      const selection = { where: { kind: ['document'], folder: "/it's ü" }, sort: '-size', limit: 7 } as const
      const search = searchOf('s1', {
        groupId: 'g1',
        selection: { ...selection, where: { ...selection.where, kind: ['document'] } },
      })
      const group = groupOf('g1', { selection: search.selection! })
      await store.insertSearches('ann', [search, searchOf('s2')], undefined, undefined, group)
      const [pending, plain] = await store.listPendingSearches('d1', 9, at(1))
      expectSame(
        pending,
        { ...search.selection, id: 's1', query: 'find s1', scope: search.scope, createdAt: at(0) },
        'the request',
      )
      expectSame(Object.keys(plain ?? {}).includes('where'), false, 'a request without one')
      expectSame((await store.findGroup('ann', 'g1', at(1)))?.selection, search.selection, 'the group')
      const settle = (isSelected: boolean) =>
        store.settleSearch({ id: 's1', deviceId: 'd1', outcome: completed, isSelected, now: at(1) })
      expectSame(
        await settle(false),
        { kind: 'selects', query: 'find s1', selection: search.selection },
        'the first try',
      )
      const { rows } = await store.listSearches('ann', { queryId: 's1' }, { limit: 9 }, at(1))
      expectSame(
        rows.map((row) => [row.status, row.selection]),
        [['pending', search.selection]],
        'the search',
      )
      expectSame(await settle(true), { kind: 'settled', groupId: 'g1' }, 'the second try')
      expectSame((await settle(false)).kind, 'already', 'a repeat')
    },
  ),
  storeCase(
    'settles a search with results that lie in a file, and tells the file with its device',
    async ({ store }) => {
      await withDevices(store)
      await store.insertSearches('ann', [searchOf('s1'), searchOf('s2')], undefined)
      const outcome = { status: 'completed', results: null, error: null, resultsBlobId: 'b1' } as const
      const settle = () => store.settleSearch({ id: 's1', deviceId: 'd1', outcome, now: at(1) })
      expectSame(await store.filterUnusedBlobs(['b1', 'b2']), ['b1', 'b2'], 'the unused files before')
      expectSame(await settle(), { kind: 'settled' }, 'the outcome')
      expectSame((await settle()).kind, 'already', 'a repeat')
      const { rows } = await store.listSearches('ann', {}, { limit: 9 }, at(2))
      expectSame(
        rows.map((row) => [row.id, row.status, row.results, row.resultsBlobId]),
        [
          ['s2', 'pending', null, undefined],
          ['s1', 'completed', null, 'b1'],
        ],
        'the list',
      )
      expectSame(await store.filterUnusedBlobs(['b1', 'b2']), ['b2'], 'the unused files')
      expectSame(await store.findFile('ann', 'b1'), undefined, 'the file as an upload')
      expectSame(await store.deleteDevice('ann', 'd1'), { blobIds: ['b1'] }, 'the files of the device')
      expectSame(await store.filterUnusedBlobs(['b1']), ['b1'], 'the unused files after its deletion')
    },
  ),
  storeCase('C20: adds all searches or none', async ({ store }) => {
    await withDevices(store, [deviceOf('d1'), deviceOf('d2', { owner: 'bob' })])
    for (const deviceId of ['d2', 'nowhere']) {
      const batch = [searchOf('s1'), searchOf('s2', { deviceId })]
      expectSame(
        await store.insertSearches('ann', batch, onceOf('k')),
        { kind: 'unknown_device' },
        'the outcome',
      )
    }
    await store.insertSearches('ann', [searchOf('used')], undefined)
    const clash = [searchOf('s1'), searchOf('used')]
    const twins = [searchOf('s1'), searchOf('s1')]
    for (const once of [undefined, onceOf('k')]) {
      await expectRejection(() => store.insertSearches('ann', clash, once), 'an id that is in use')
      await expectRejection(() => store.insertSearches('ann', twins, once), 'an id that is there twice')
    }
    expectSame(
      ids((await store.listSearches('ann', {}, { limit: 9 }, at(1))).rows),
      ['used'],
      'what was added',
    )
    expectSame(
      await store.insertSearches('ann', [searchOf('s1')], onceOf('k')),
      { kind: 'created' },
      'a new try',
    )
    expectSame(await store.insertSearches('ann', [], undefined), { kind: 'created' }, 'none at all')
  }),
  storeCase('C20: creates searches once, however many repeats race', async ({ store }) => {
    await withDevices(store)
    const outcomes = await race((index) =>
      store.insertSearches('ann', [searchOf(`a${index}`), searchOf(`b${index}`)], onceOf('k')),
    )
    expectSame(outcomes.filter(({ kind }) => kind === 'created').length, 1, 'how many were created')
    expectSame(outcomes.filter(({ kind }) => kind === 'repeated').length, 7, 'how many were repeats')
    expectSame((await store.listPendingSearches('d1', 99, at(1))).length, 2, 'how many searches there are')
  }),
  storeCase('C11: lists pending searches oldest first, then by id, up to the limit', async ({ store }) => {
    await withDevices(store, [deviceOf('d1'), deviceOf('d2')])
    const later = [searchOf('c', { createdAt: at(2) }), searchOf('b'), searchOf('x', { deviceId: 'd2' })]
    await store.insertSearches(
      'ann',
      [...later, searchOf('a'), searchOf('d', { createdAt: at(1) })],
      undefined,
    )
    expectSame(ids(await store.listPendingSearches('d1', 9, at(3))), ['a', 'b', 'd', 'c'], 'the order')
    expectSame(ids(await store.listPendingSearches('d1', 2, at(3))), ['a', 'b'], 'the first two')
    expectSame(
      ids(await store.listPendingSearches('d1', 9, at(3))),
      ['a', 'b', 'd', 'c'],
      'the list when read again',
    )
    expectSame((await store.countPending('d1', at(3))).searches, 4, 'the count')
  }),
  storeCase('C9: settles a search once, however many reports race', async ({ store }) => {
    await withDevices(store)
    await store.insertSearches('ann', [searchOf('s1')], undefined)
    const outcomes = await race((index) =>
      store.settleSearch({
        id: 's1',
        deviceId: 'd1',
        outcome: { ...failed, error: `e${index}` },
        now: at(index),
      }),
    )
    const winner = outcomes.findIndex(({ kind }) => kind === 'settled')
    expectSame(outcomes.filter(({ kind }) => kind === 'settled').length, 1, 'how many settled it')
    const already = { kind: 'already', status: 'failed', error: `e${winner}` }
    expectSame(
      outcomes.filter(({ kind }) => kind !== 'settled'),
      Array.from({ length: 7 }, () => already),
      'what the others get',
    )
    const [row] = (await store.listSearches('ann', {}, { limit: 9 }, at(9))).rows
    expectSame([row?.error, row?.completedAt], [`e${winner}`, at(winner)], 'what is stored')
    expectSame(await store.listPendingSearches('d1', 9, at(9)), [], 'the pending list')
    expectSame((await store.countPending('d1', at(9))).searches, 0, 'the count')
  }),
  storeCase('C9: keeps the first outcome with its results', async ({ store }) => {
    await withDevices(store)
    await store.insertSearches('ann', [searchOf('s1')], undefined)
    const report = { id: 's1', deviceId: 'd1', now: at(5) }
    expectSame(
      await store.settleSearch({ ...report, outcome: completed }),
      { kind: 'settled' },
      'the first report',
    )
    const again = await store.settleSearch({ ...report, outcome: failed, now: at(500) })
    expectSame(again, { kind: 'already', status: 'completed', error: null }, 'the second report')
    const [row] = (await store.listSearches('ann', {}, { limit: 9 }, at(500))).rows
    expectSame(
      [row?.status, row?.results, row?.error, row?.completedAt],
      ['completed', completed.results, null, at(5)],
      'the row',
    )
  }),
  storeCase("C9: takes another device's search for unknown", async ({ store }) => {
    await withDevices(store, [deviceOf('d1'), deviceOf('d2')])
    await store.insertSearches('ann', [searchOf('s1')], undefined)
    for (const [id, deviceId] of [
      ['s1', 'd2'],
      ['nothing', 'd1'],
    ] as const) {
      const outcome = await store.settleSearch({ id, deviceId, outcome: completed, now: at(1) })
      expectSame(outcome, { kind: 'unknown' }, 'the outcome')
    }
    expectSame(ids(await store.listPendingSearches('d1', 9, at(1))), ['s1'], 'the pending list')
  }),
  storeCase('C9: keeps why a search failed to the letter', async ({ store }) => {
    await withDevices(store)
    await store.insertSearches('ann', [searchOf('s1')], undefined)
    await store.settleSearch({ id: 's1', deviceId: 'd1', outcome: failed, now: at(5) })
    const [row] = (await store.listSearches('ann', {}, { limit: 9 }, at(5))).rows
    expectSame([row?.status, row?.error], ['failed', oddText], 'the row')
  }),
  storeCase('C10: a search that nobody answered failed when its time ran out', async ({ store }) => {
    await withDevices(store)
    await store.insertSearches('ann', [searchOf('s1')], undefined)
    expectSame(ids(await store.listPendingSearches('d1', 9, at(99))), ['s1'], 'the list just before')
    expectSame(await store.listPendingSearches('d1', 9, at(100)), [], 'the list then')
    expectSame((await store.countPending('d1', at(100))).searches, 0, 'the count then')
    const [row] = (await store.listSearches('ann', {}, { limit: 9 }, at(100))).rows
    expectSame(
      [row?.status, row?.error, row?.completedAt],
      ['failed', expiredSearchError, at(100)],
      'the row',
    )
    const late = await store.settleSearch({ id: 's1', deviceId: 'd1', outcome: completed, now: at(100) })
    expectSame(late, { kind: 'already', status: 'failed', error: expiredSearchError }, 'a late report')
    await store.insertSearches('ann', [searchOf('s2', { createdAt: at(200), expiresAt: at(300) })], undefined)
    const [, old] = (await store.listSearches('ann', {}, { limit: 9 }, at(201))).rows
    expectSame(
      [old?.status, old?.error, old?.completedAt],
      ['failed', expiredSearchError, at(100)],
      'the row later on',
    )
  }),
  storeCase('filters searches by id, device and status, expiry included', async ({ store }) => {
    await withDevices(store, [deviceOf('d1'), deviceOf('d2'), deviceOf('d3', { owner: 'bob' })])
    const batch = ['done', 'failed', 'late', 'open'].map((id, index) =>
      searchOf(id, { createdAt: at(index) }),
    )
    const long = { expiresAt: at(900) }
    await store.insertSearches(
      'ann',
      [...batch.slice(0, 3), searchOf('open', { ...long, createdAt: at(3) })],
      undefined,
    )
    await store.insertSearches(
      'ann',
      [searchOf('far', { ...long, deviceId: 'd2', createdAt: at(4) })],
      undefined,
    )
    await store.insertSearches('bob', [searchOf('bobs', { ...long, deviceId: 'd3' })], undefined)
    await store.settleSearch({ id: 'done', deviceId: 'd1', outcome: completed, now: at(9) })
    await store.settleSearch({ id: 'failed', deviceId: 'd1', outcome: failed, now: at(9) })
    const list = async (filter: Parameters<typeof store.listSearches>[1], owner = 'ann') =>
      ids((await store.listSearches(owner, filter, { limit: 9 }, at(200))).rows)

    expectSame(await list({}), ['far', 'open', 'late', 'failed', 'done'], 'all of them')
    expectSame(await list({ status: 'failed' }), ['late', 'failed'], 'the failed ones')
    expectSame(await list({ status: 'pending' }), ['far', 'open'], 'the pending ones')
    expectSame(await list({ status: 'completed' }), ['done'], 'the completed ones')
    expectSame(await list({ deviceId: 'd2' }), ['far'], 'those of a device')
    expectSame(await list({ deviceId: 'd1', status: 'pending' }), ['open'], 'the pending ones of a device')
    expectSame(await list({ queryId: 'late' }), ['late'], 'one by its id')
    expectSame(await list({ queryId: 'nothing' }), [], 'one by an unknown id')
    expectSame(await list({ queryId: 'late', deviceId: 'd2' }), [], 'one by its id on another device')
    expectSame(await list({ queryId: 'late', status: 'completed' }), [], 'one by its id and another status')
    for (const filter of [{}, { deviceId: 'd1' }, { queryId: 'open' }]) {
      expectSame(
        await list(filter, 'bob'),
        (filter.deviceId ?? filter.queryId) ? [] : ['bobs'],
        "another owner's list",
      )
    }
  }),
  storeCase(
    'C10: gives work that expired to one caller, once, with its group and its owner',
    async ({ store }) => {
      await withDevices(store)
      await store.insertSearches('ann', [searchOf('q1'), searchOf('q2', { groupId: 'g1' })], undefined)
      await store.insertSearches('ann', [searchOf('later', { expiresAt: at(200) })], undefined)
      await store.insertUploads('ann', [uploadOf('u1')], undefined)
      const nothing = { searches: [], uploads: [], nextAt: at(100) }
      expectSame(await store.expireWork(9, at(99)), nothing, 'what is there in time')
      const races = await race(() => store.expireWork(9, at(100)))
      const rows = races.flatMap(({ searches }) => searches).toSorted((a, b) => (a.id < b.id ? -1 : 1))
      const row = { deviceId: 'd1', groupId: null, owner: 'ann' }
      expectSame(
        rows,
        [
          { id: 'q1', ...row },
          { id: 'q2', ...row, groupId: 'g1' },
        ],
        'the searches',
      )
      const uploads = races.flatMap((ended) => ended.uploads)
      expectSame(uploads, [{ id: 'u1', deviceId: 'd1', owner: 'ann' }], 'the upload requests')
      expectSame((await store.expireWork(9, at(101))).nextAt, at(200), 'when the next one expires')
      const [listed] = (await store.listSearches('ann', { queryId: 'q1' }, { limit: 9 }, at(150))).rows
      expectSame([listed?.status, listed?.completedAt], ['failed', at(100)], 'the stored search')
      await store.insertUploads('ann', [uploadOf('u2')], undefined)
      const lease = { id: 'u2', deviceId: 'd1', blobId: 'b1', leaseUntil: at(110), now: at(99) }
      await store.leaseUpload(lease)
      const leased = { searches: [], uploads: [], nextAt: at(161) }
      expectSame(await store.expireWork(9, at(101)), leased, 'an upload that is under way')
      expectSame((await store.expireWork(9, at(111))).uploads.length, 1, 'an upload whose lease is over')
    },
  ),
]

import type { CloudStore } from '../ports/cloud-store.ts'
import type { SearchOutcome } from '../ports/search-store.ts'
import { expectSame } from '@homeward/kit/testing'
import {
  at,
  auditOf,
  type CloudStoreCase,
  deviceOf,
  onceOf,
  online,
  returnOf,
  searchOf,
  storeCase,
  tokenOf,
  uploadOf,
  withDevices,
} from './store-harness.ts'

const page = { limit: 99 }
const limits = { maxTokens: 9, expiredBefore: at(-9) }
const inRow: SearchOutcome = { status: 'completed', results: { files: [] }, error: null }
const nothing: SearchOutcome = { status: 'failed', results: null, error: 'no' }

const settle = (store: CloudStore, id: string, outcome: SearchOutcome, now: string) =>
  store.settleSearch({ id, deviceId: 'd1', outcome, now })
const complete = (store: CloudStore, id: string, blobId: string, now: string) => {
  const file = { blobId, fileName: 'a.txt', size: 1, links: {} }
  return store.settleUpload({ id, deviceId: 'd1', outcome: { status: 'completed', file }, now })
}
const searchesOf = async (store: CloudStore, owner = 'ann', now = at(9)) =>
  (await store.listSearches(owner, {}, page, now)).rows
const uploadsOf = async (store: CloudStore, now = at(9)) =>
  (await store.listUploads('ann', {}, page, now)).rows.map(({ id }) => id).toSorted()
const removalsOf = async (store: CloudStore) => (await store.listBlobRemovals(99)).toSorted()

/** Removes a few rows at a time until nothing is left, and gives all that was said of them. */
async function removeAll(store: CloudStore) {
  const hashes: string[] = []
  const deviceIds: string[] = []
  for (let calls = 0; calls < 1000; calls += 1) {
    const removed = await store.removeSome(100)
    if (removed.rows === 0) return { hashes: hashes.toSorted(), deviceIds: deviceIds.toSorted() }
    hashes.push(...removed.hashes)
    deviceIds.push(...removed.deviceIds)
  }
  throw new Error('Removing rows failed: something is always left.')
}

/** Something of every kind that an owner can have. */
async function fill(store: CloudStore, owner: string, tag: string): Promise<void> {
  const deviceId = `d${tag}`
  await store.insertDevice(deviceOf(deviceId, { owner }), onceOf(tag, { scope: `["${owner}","x"]` }))
  for (const second of [1, 2]) await store.writeHeartbeats([returnOf(deviceId, second)], at(second))
  await store.insertSearches(owner, [searchOf(`s${tag}`, { deviceId })], undefined)
  await store.insertUploads(owner, [uploadOf(`u${tag}`, { deviceId })], undefined)
  const outcome: SearchOutcome = { ...inRow, results: null, resultsBlobId: `r${tag}` }
  await store.settleSearch({ id: `s${tag}`, deviceId, outcome, now: at(2) })
  await store.insertToken(tokenOf(`t${tag}`, { owner }), limits, undefined)
  await store.appendAudit([auditOf(`a${tag}`, { userId: owner })])
}

/** What is left of {@link fill}. */
async function seen(store: CloudStore, owner: string, tag: string) {
  return {
    devices: (await store.listDevices(owner, {}, page, online)).rows.map(({ id }) => id),
    presence: (await store.findPresence(`d${tag}`))?.gaps.length,
    searches: (await searchesOf(store, owner)).map(({ id }) => id),
    uploads: (await store.listUploads(owner, {}, page, at(9))).rows.map(({ id }) => id),
    tokens: (await store.listTokens(owner)).map(({ id }) => id),
    audit: (await store.listAudit(owner, {}, page, at(9))).rows.map(({ id }) => id),
    key: (await store.findDeviceByKeyHash(`hash-d${tag}`, at(9)))?.device.id,
    secret: (await store.findTokenByHash(`hash-t${tag}`))?.id,
  }
}

/** Promises of `RetentionStore`. */
export const retentionCases: readonly CloudStoreCase[] = [
  storeCase(
    'C31: removes old results, oldest first, and says of a search that they are gone',
    async ({ store }) => {
      await withDevices(store)
      const ids = ['s1', 's2', 's3', 's4', 's5']
      await store.insertSearches(
        'ann',
        ids.map((id) => searchOf(id, { createdAt: at(id === 's1' ? 0 : 1) })),
        undefined,
      )
      await settle(store, 's2', { ...inRow, results: null, resultsBlobId: 'r2' }, at(3))
      await settle(store, 's1', inRow, at(2))
      await settle(store, 's3', nothing, at(2))
      await settle(store, 's4', inRow, at(5))
      const goneOf = async () =>
        (await searchesOf(store)).filter(({ resultsGone }) => resultsGone === true).map(({ id }) => id)
      expectSame(await store.pruneResults(at(2), 9), 0, 'results that are not old yet')
      expectSame([await store.pruneResults(at(5), 1), await goneOf()], [1, ['s1']], 'the oldest')
      expectSame([await store.pruneResults(at(5), 9), await goneOf()], [1, ['s2', 's1']], 'the others')
      expectSame(await store.pruneResults(at(5), 9), 0, 'a second time')
      const rows = await searchesOf(store)
      const { status, results, resultsBlobId, completedAt } = rows.find(({ id }) => id === 's2')!
      expectSame(
        [status, results, resultsBlobId, completedAt],
        ['completed', null, undefined, at(3)],
        'the search',
      )
      expectSame(
        rows.filter((row) => row.results !== null).map(({ id }) => id),
        ['s4'],
        'what still has results',
      )
      expectSame(
        [await removalsOf(store), await store.filterUnusedBlobs(['r2'])],
        [['r2'], ['r2']],
        'the file',
      )
      const again = await settle(store, 's1', inRow, at(6))
      expectSame(again, { kind: 'already', status: 'completed', error: null }, 'a report that is repeated')
    },
  ),
  storeCase('C31: removes searches that ended or expired long ago, and none that wait', async ({ store }) => {
    await withDevices(store)
    const expiring = ['s3', 's4'].map((id) => searchOf(id, { expiresAt: at(id === 's3' ? 4 : 5) }))
    await store.insertSearches('ann', [searchOf('s1'), searchOf('s2'), ...expiring], undefined)
    await settle(store, 's1', { ...inRow, results: null, resultsBlobId: 'r1' }, at(2))
    await settle(store, 's2', nothing, at(5))
    expectSame(await store.pruneSearches(at(5), 1), 1, 'how many went at once')
    expectSame(await store.pruneSearches(at(5), 9), 1, 'how many went then')
    expectSame(await store.pruneSearches(at(5), 9), 0, 'how many are left')
    expectSame(
      (await searchesOf(store)).map(({ id }) => id),
      ['s4', 's2'],
      'the searches',
    )
    expectSame(await removalsOf(store), ['r1'], 'the files')
    expectSame(
      await settle(store, 's1', inRow, at(6)),
      { kind: 'unknown' },
      'a report about one that is gone',
    )
  }),
  storeCase(
    'C31: removes old upload requests with their files, and none that is under way',
    async ({ store }) => {
      await withDevices(store)
      const short = ['u3', 'u4'].map((id) => uploadOf(id, { expiresAt: at(4) }))
      await store.insertUploads('ann', [uploadOf('u1'), uploadOf('u2'), ...short, uploadOf('u5')], undefined)
      await complete(store, 'u1', 'b1', at(2))
      await store.leaseUpload({ id: 'u4', deviceId: 'd1', blobId: 'b4', leaseUntil: at(60), now: at(3) })
      await store.cancelUpload('ann', 'u5', at(5))
      expectSame(await store.pruneUploads(at(5), 1), 1, 'how many went at once')
      expectSame(await store.pruneUploads(at(5), 9), 1, 'how many went then')
      expectSame(
        [await store.pruneUploads(at(5), 9), await uploadsOf(store)],
        [0, ['u2', 'u4', 'u5']],
        'what stays',
      )
      expectSame(
        [await removalsOf(store), await store.findFile('ann', 'b1')],
        [['b1'], undefined],
        'the file',
      )
    },
  ),
  storeCase('C31: names the files of removed rows until their removal is confirmed', async ({ store }) => {
    await withDevices(store)
    await store.insertUploads('ann', [uploadOf('u1'), uploadOf('u2')], undefined)
    await complete(store, 'u1', 'b1', at(2))
    await complete(store, 'u2', 'b2', at(2))
    expectSame(await store.hasLeftovers(), false, 'whether anything is left before')
    await store.deleteDevice('ann', 'd1')
    expectSame([await store.hasLeftovers(), await removalsOf(store)], [true, ['b1', 'b2']], 'the files')
    expectSame((await store.listBlobRemovals(1)).length, 1, 'how many come at once')
    await store.confirmBlobRemovals(['b1', 'gone'])
    expectSame(await removalsOf(store), ['b2'], 'the other file')
    await store.confirmBlobRemovals(['b2'])
    expectSame([await store.hasLeftovers(), await removalsOf(store)], [false, []], 'what is left')
  }),
  storeCase(
    'C15, C31: a device with very many searches is gone at once, and its rows soon',
    async ({ store }) => {
      await withDevices(store, [deviceOf('d1'), deviceOf('d2')])
      const many = Array.from({ length: 1200 }, (_, index) => searchOf(`s${index}`, { createdAt: at(1) }))
      await store.insertSearches('ann', [searchOf('other', { deviceId: 'd2' })], undefined)
      await store.insertSearches('ann', many, undefined)
      await store.insertUploads('ann', [uploadOf('u1')], undefined)
      await complete(store, 'u1', 'b1', at(2))
      await store.deleteDevice('ann', 'd1', [auditOf('a1')])
      const gone = async () => [
        (await store.listDevices('ann', {}, page, online)).rows.map(({ id }) => id),
        await store.findDevice('ann', 'd1'),
        await store.findDeviceByKeyHash('hash-d1', at(3)),
        (await searchesOf(store)).map(({ id }) => id),
        (await store.listSearches('ann', { deviceId: 'd1' }, page, at(3))).rows,
        await uploadsOf(store),
        await store.findFile('ann', 'b1'),
        (await store.insertSearches('ann', [searchOf('late')], undefined)).kind,
        await store.deleteDevice('ann', 'd1'),
      ]
      const wanted = [['d2'], undefined, undefined, ['other'], [], [], undefined, 'unknown_device', undefined]
      expectSame(await gone(), wanted, 'what its owner sees at once')
      await removeAll(store)
      expectSame(await gone(), wanted, 'what its owner sees at the end')
      expectSame(await settle(store, 's7', inRow, at(3)), { kind: 'unknown' }, 'a report about it')
      expectSame(await removalsOf(store), ['b1'], 'its files')
      await store.insertDevice(deviceOf('d3', { key: deviceOf('d1').key }), undefined)
      const key = await store.findDeviceByKeyHash('hash-d1', at(3))
      expectSame(key?.device.id, 'd3', 'the device that has its key then')
    },
  ),
  storeCase('C31: erases everything of an owner but one entry, and nothing of another', async ({ store }) => {
    await fill(store, 'ann', '1')
    await fill(store, 'bob', '2')
    expectSame(await store.isErased('ann'), true, 'whether an erasure is over that nobody asked for')
    const entry = auditOf('e1', { createdAt: at(3), deviceId: null, name: null })
    await store.beginErasure('ann', entry)
    await store.beginErasure('ann', { ...entry, id: 'e2' })
    expectSame([await store.isErased('ann'), await store.hasLeftovers()], [false, true], 'whether it is over')
    const removed = await removeAll(store)
    expectSame(removed, { hashes: ['hash-d1', 'hash-t1'], deviceIds: ['d1'] }, 'what no longer works')
    const gone = { presence: undefined, key: undefined, secret: undefined }
    const left = { devices: [], searches: [], uploads: [], tokens: [], audit: ['e1'], ...gone }
    expectSame(await seen(store, 'ann', '1'), left, 'what is left')
    expectSame([await store.isErased('ann'), await removalsOf(store)], [true, ['r1']], 'the end')
    const other = {
      devices: ['d2'],
      presence: 1,
      searches: ['s2'],
      uploads: ['u2'],
      tokens: ['t2'],
      audit: ['a2'],
      key: 'd2',
      secret: 't2',
    }
    expectSame(await seen(store, 'bob', '2'), other, 'what another owner has')
    const repeats = ['ann', 'bob'].map((owner, index) => {
      const once = onceOf(`${index + 1}`, { scope: `["${owner}","x"]` })
      return store.insertDevice(deviceOf(`n${index}`, { owner }), once)
    })
    const kinds = (await Promise.all(repeats)).map(({ kind }) => kind)
    expectSame(kinds, ['created', 'repeated'], 'creations that come again')
  }),
  storeCase('C31: removes many devices with few rows at once', async ({ store }) => {
    const ids = Array.from({ length: 20 }, (_, index) => `d${index}`)
    for (const id of ids) await store.insertDevice(deviceOf(id), undefined)
    await store.beginErasure('ann', auditOf('e1'))
    let calls = 0
    while ((await store.removeSome(100)).rows > 0) calls += 1
    expectSame([await store.isErased('ann'), calls < ids.length], [true, true], 'an end after few calls')
  }),
]

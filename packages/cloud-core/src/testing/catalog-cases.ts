import { expectSame } from '@homeward/kit/testing'
import type { CloudStore } from '../ports/cloud-store.ts'
import type { CloudStoreCase } from './store-harness.ts'
import { at, auditOf, deviceOf, online, searchOf, storeCase, withDevices } from './store-harness.ts'

const catalogOf = (blobId: string, asOf = at(1)) => ({ blobId, asOf, files: 3, bytes: 3_000_000_000 })
const put = async (store: CloudStore, blobId: string, deviceId = 'd1', asOf = at(1)) =>
  store.replaceCatalog({
    deviceId,
    revision: (await store.readCatalogRevision(deviceId)) ?? -1,
    catalog: catalogOf(blobId, asOf),
  })
const removalsOf = async (store: CloudStore) => (await store.listBlobRemovals(99)).toSorted()
const catalogsOf = async (store: CloudStore, owner = 'ann') =>
  (await store.listDevices(owner, {}, { limit: 9 }, online)).rows.map(({ catalog }) => catalog)
const usage = (store: CloudStore, owner = 'ann') =>
  store.readUsage(owner, 'storedBytes', { day: at(0), now: at(0) })

/** Promises of `CatalogStore`. */
export const catalogCases: readonly CloudStoreCase[] = [
  storeCase('stores a catalog in place of the old one, and notes the file of that', async ({ store }) => {
    await withDevices(store)
    expectSame(await catalogsOf(store), [undefined], 'a device without a catalog')
    expectSame(await put(store, 'c1'), { kind: 'replaced', blobIds: [] }, 'the first catalog')
    expectSame((await store.findDevice('ann', 'd1'))?.catalog, catalogOf('c1'), 'the catalog of the device')
    expectSame(await put(store, 'c2'), { kind: 'replaced', blobIds: ['c1'] }, 'the second catalog')
    expectSame(await catalogsOf(store), [catalogOf('c2')], 'the catalog in a list')
    expectSame(await removalsOf(store), ['c1'], 'the files to remove')
    expectSame(await store.filterUnusedBlobs(['c1', 'c2']), ['c1'], 'the files that belong to nothing')
    expectSame(await usage(store), 3_000_000_000, 'the stored bytes')
    const { device } = (await store.findDeviceByKeyHash('hash-d1', at(2))) ?? {}
    expectSame(device?.catalog, catalogOf('c2'), 'the catalog of a device by its key')
  }),
  storeCase('stores no catalog that was overtaken, and none of an unknown device', async ({ store }) => {
    await withDevices(store)
    const revision = (await store.readCatalogRevision('d1'))!
    const late = { deviceId: 'd1', revision, catalog: catalogOf('late') }
    expectSame(await put(store, 'c1'), { kind: 'replaced', blobIds: [] }, 'the first catalog')
    expectSame(await store.replaceCatalog(late), { kind: 'changed' }, 'one that began before it')
    const next = (await store.readCatalogRevision('d1'))!
    expectSame(await store.removeCatalog('ann', 'd1'), { blobIds: ['c1'] }, 'the removal')
    expectSame(await store.replaceCatalog({ ...late, revision: next }), { kind: 'changed' }, 'a late one')
    const last = (await store.readCatalogRevision('d1'))!
    expectSame(await store.removeCatalog('ann', 'd1'), { blobIds: [] }, 'a removal of nothing')
    expectSame(
      await store.replaceCatalog({ ...late, revision: last }),
      { kind: 'changed' },
      'another late one',
    )
    expectSame(await catalogsOf(store), [undefined], 'the catalog of the device')
    expectSame(await store.readCatalogRevision('gone'), undefined, 'the revision of no device')
    expectSame(await put(store, 'c2', 'gone'), { kind: 'unknown' }, 'the catalog of no device')
  }),
  storeCase('removes a catalog for its owner alone, with its entry in the audit', async ({ store }) => {
    await withDevices(store)
    await put(store, 'c1')
    expectSame(await store.removeCatalog('bob', 'd1', [auditOf('a1')]), undefined, 'for somebody else')
    expectSame(await store.removeCatalog('ann', 'd1', [auditOf('a2')]), { blobIds: ['c1'] }, 'for its owner')
    expectSame(await store.removeCatalog('ann', 'd1', [auditOf('a3')]), { blobIds: [] }, 'a second time')
    const entries = await store.listAudit('ann', {}, { limit: 9 }, at(2))
    expectSame(
      entries.rows.map(({ id }) => id),
      ['a2'],
      'the audit',
    )
    expectSame([await removalsOf(store), await usage(store)], [['c1'], 0], 'the files and the bytes')
  }),
  storeCase('C31: removes old catalogs, oldest first, by the time of their files', async ({ store }) => {
    await withDevices(
      store,
      ['d1', 'd2', 'd3'].map((id) => deviceOf(id)),
    )
    await put(store, 'c1', 'd1', at(3))
    await put(store, 'c2', 'd2', at(1))
    await put(store, 'c3', 'd3', at(2))
    expectSame(await store.pruneCatalogs(at(1), 9), 0, 'catalogs that are not old yet')
    expectSame([await store.pruneCatalogs(at(3), 1), await removalsOf(store)], [1, ['c2']], 'the oldest')
    expectSame([await store.pruneCatalogs(at(3), 9), await removalsOf(store)], [1, ['c2', 'c3']], 'the next')
    expectSame((await store.findDevice('ann', 'd1'))?.catalog, catalogOf('c1', at(3)), 'the newest')
  }),
  storeCase('removes the catalog with its device, and with its owner', async ({ store }) => {
    await withDevices(store, [deviceOf('d1'), deviceOf('d2', { owner: 'bob' })])
    await put(store, 'c1')
    await put(store, 'c2', 'd2')
    expectSame(await store.deleteDevice('ann', 'd1'), { blobIds: ['c1'] }, 'the files of a deleted device')
    await store.beginErasure('bob', auditOf('a1', { userId: 'bob' }))
    for (let rows = 1; rows > 0;) ({ rows } = await store.removeSome(9))
    expectSame(await removalsOf(store), ['c1', 'c2'], 'the files to remove')
    expectSame([await usage(store), await usage(store, 'bob')], [0, 0], 'the stored bytes')
  }),
  storeCase('names the catalog of the device of a search while the search waits', async ({ store }) => {
    await withDevices(store)
    await store.insertSearches('ann', [searchOf('q1'), searchOf('q2', { expiresAt: at(5) })], undefined)
    await put(store, 'c1')
    const filesAt = async (now: string) => {
      const { rows } = await store.listSearches('ann', {}, { limit: 9 }, now)
      return rows.map(({ catalogBlobId }) => catalogBlobId)
    }
    expectSame(await filesAt(at(2)), ['c1', 'c1'], 'while both wait')
    expectSame(await filesAt(at(6)), [undefined, 'c1'], 'once one has expired')
    const outcome = { status: 'completed', results: {}, error: null } as const
    await store.settleSearch({ id: 'q1', deviceId: 'd1', outcome, now: at(7) })
    expectSame(await filesAt(at(8)), [undefined, undefined], 'once the other has ended')
  }),
]

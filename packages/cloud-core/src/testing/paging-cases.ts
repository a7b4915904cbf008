import type { Page, PagePosition, PageRequest } from '../ports/page.ts'
import { expectSame, expectTrue } from '@homeward/kit/testing'
import type { CloudStoreCase } from './store-harness.ts'
import { at, auditOf, deviceOf, online, searchOf, storeCase, uploadOf, withDevices } from './store-harness.ts'

/** Reads a list to its end, adding a newer row and an older-looking one before each page. */
async function walk<Row extends { readonly id: string }>(
  read: (page: PageRequest) => Promise<Page<Row>>,
  add: (round: number) => Promise<unknown>,
): Promise<string[]> {
  const seen: string[] = []
  let after: PagePosition | undefined
  for (let round = 0; round < 20; round += 1) {
    const page: Page<Row> = await read(after === undefined ? { limit: 3 } : { limit: 3, after })
    expectTrue(page.rows.length <= 3, 'that a page keeps to its limit')
    seen.push(...page.rows.map(({ id }) => id))
    if (page.next === undefined) return seen
    after = page.next
    await add(round)
  }
  throw new Error('Reading a list to its end failed: it has no end.')
}

// Several rows share a time, so that the id has to decide.
const names = Array.from({ length: 8 }, (_, index) => ({
  id: `r${index}`,
  createdAt: at(10 + Math.floor(index / 3)),
}))
const newestFirst = names.map(({ id }) => id).toReversed()
const added = (round: number) => ({ id: `new${round}`, createdAt: at(50 + round) })

/** Of what was there before the reading began. */
const expectKept = (ids: readonly string[], what: string) =>
  expectSame(
    ids.filter((id) => !id.startsWith('new')),
    newestFirst,
    what,
  )

/** Promises of `CloudStore` about lists and their pages. */
export const pagingCases: readonly CloudStoreCase[] = [
  storeCase(
    'C11: pages through devices newest first, none missed or doubled while others are added',
    async ({ store }) => {
      await withDevices(
        store,
        names.map(({ id, createdAt }) => deviceOf(id, { createdAt })),
      )
      const add = (round: number) => store.insertDevice(deviceOf(added(round).id, added(round)), undefined)
      expectSame(
        await walk((page) => store.listDevices('ann', {}, page, online), add),
        newestFirst,
        'the rows',
      )
      const exact = await store.listDevices('nobody', {}, { limit: 1 }, online)
      expectSame(exact, { rows: [] }, 'an empty list')
    },
  ),
  storeCase(
    'C11: pages through searches newest first, none missed or doubled while others are added',
    async ({ store }) => {
      await withDevices(store)
      await store.insertSearches(
        'ann',
        names.map(({ id, createdAt }) => searchOf(id, { createdAt })),
        undefined,
      )
      const add = (round: number) =>
        store.insertSearches('ann', [searchOf(added(round).id, added(round))], undefined)
      for (const filter of [{}, { deviceId: 'd1' }, { status: 'pending' }] as const) {
        const rows = await walk(
          (page) => store.listSearches('ann', filter, page, at(20)),
          filter.deviceId ? add : async () => {},
        )
        expectKept(rows, 'the rows')
      }
      for (const filter of [{}, { status: 'failed' }] as const) {
        const rows = await walk(
          (page) => store.listSearches('ann', filter, page, at(999)),
          async () => {},
        )
        expectKept(rows, 'the rows that expired')
      }
    },
  ),
  storeCase(
    'C11: pages through upload requests newest first, none missed or doubled while others are added',
    async ({ store }) => {
      await withDevices(store)
      await store.insertUploads(
        'ann',
        names.map(({ id, createdAt }) => uploadOf(id, { createdAt })),
        undefined,
      )
      const add = (round: number) =>
        store.insertUploads('ann', [uploadOf(added(round).id, added(round))], undefined)
      for (const filter of [{}, { deviceId: 'd1' }, { status: 'pending' }] as const) {
        const rows = await walk(
          (page) => store.listUploads('ann', filter, page, at(20)),
          filter.deviceId ? add : async () => {},
        )
        expectKept(rows, 'the rows')
      }
    },
  ),
  storeCase('C11: says that there is more only when there is', async ({ store }) => {
    await withDevices(store, [deviceOf('d1'), deviceOf('d2')])
    await store.insertSearches('ann', [searchOf('d1'), searchOf('d2')], undefined)
    await store.insertUploads('ann', [uploadOf('d1'), uploadOf('d2')], undefined)
    await store.appendAudit([auditOf('d1'), auditOf('d2')])
    const lists: readonly ((limit: number) => Promise<Page<unknown>>)[] = [
      (limit) => store.listDevices('ann', {}, { limit }, online),
      (limit) => store.listSearches('ann', {}, { limit }, at(1)),
      (limit) => store.listUploads('ann', {}, { limit }, at(1)),
      (limit) => store.listAudit('ann', {}, { limit }, at(1)),
    ]
    for (const list of lists) {
      expectSame((await list(2)).next, undefined, 'the next page of a full one')
      expectSame((await list(1)).next, { createdAt: at(0), id: 'd2' }, 'the next page')
    }
  }),
  storeCase('C11: gives as many rows as a page may have', async ({ store }) => {
    await withDevices(store)
    const searches = Array.from({ length: 1001 }, (_, index) => searchOf(`s${index}`))
    await store.insertSearches('ann', searches, undefined)
    const { rows, next } = await store.listSearches('ann', {}, { limit: 1000 }, at(1))
    expectSame(
      [rows.length, next?.id],
      [1000, rows.at(-1)?.id],
      'how many there are, and where the next begin',
    )
  }),
]

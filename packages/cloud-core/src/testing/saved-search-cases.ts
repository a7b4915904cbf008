import type { StoredSavedSearch } from '../ports/saved-search-store.ts'
import type { PagePosition } from '../ports/page.ts'
import { expectSame, race } from '@homeward/kit/testing'
import type { CloudStoreCase } from './store-harness.ts'
import { at, auditOf, groupOf, onceOf, storeCase } from './store-harness.ts'

const page = { limit: 9 }
const ids = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id)

/** A saved search of `ann` that runs by hand. */
export function savedOf(id: string, changes: Partial<StoredSavedSearch> = {}): StoredSavedSearch {
  return {
    id,
    owner: 'ann',
    name: `Saved ${id}`,
    query: 'ü "%" _',
    scope: ['files'],
    filter: { labels: ['a'], status: 'online' },
    schedule: null,
    timezone: null,
    createdAt: at(0),
    updatedAt: at(0),
    nextAt: null,
    ...changes,
  }
}

const due = { schedule: '0 9 * * *', timezone: 'Europe/Vienna', nextAt: at(10) }

/** Promises of `SavedSearchStore`. */
export const savedSearchCases: readonly CloudStoreCase[] = [
  storeCase('C32: keeps saved searches as they are, up to the limit of their owner', async ({ store }) => {
    const saved = savedOf('v1', { ...due, selection: { where: { minBytes: 1 }, sort: 'name' } })
    const audit = [auditOf('a1')]
    expectSame(await store.insertSavedSearch(saved, 2, onceOf('k'), audit), { kind: 'created' }, 'the first')
    const again = await store.insertSavedSearch(savedOf('v2'), 2, onceOf('k'), [auditOf('a2')])
    expectSame(again.kind, 'repeated', 'a repeat')
    await store.insertSavedSearch(savedOf('v3'), 2, undefined)
    const full = await store.insertSavedSearch(savedOf('v4'), 2, onceOf('k4'), [auditOf('a4')])
    expectSame(full, { kind: 'full' }, 'one too many')
    await store.insertSavedSearch(savedOf('v4', { owner: 'bob' }), 2, onceOf('k4'))
    expectSame(await store.findSavedSearch('ann', 'v1'), saved, 'the saved search')
    expectSame(await store.findSavedSearch('bob', 'v1'), undefined, "another owner's")
    expectSame(ids((await store.listSavedSearches('ann', page)).rows), ['v3', 'v1'], 'the list')
    expectSame(ids((await store.listAudit('ann', {}, page, at(1))).rows), ['a1'], 'the audit')
  }),
  storeCase('C32: replaces and deletes a saved search of its owner', async ({ store }) => {
    await store.insertSavedSearch(savedOf('v1', due), 9, undefined)
    const changed = savedOf('v1', { name: 'Other', filter: {}, updatedAt: at(5) })
    expectSame(await store.replaceSavedSearch({ ...changed, owner: 'bob' }), false, "another owner's")
    expectSame(await store.replaceSavedSearch(changed, [auditOf('a1')]), true, 'the outcome')
    expectSame(await store.findSavedSearch('ann', 'v1'), changed, 'the saved search')
    expectSame(await store.deleteSavedSearch('bob', 'v1', [auditOf('a2')]), false, "another owner's")
    expectSame(await store.deleteSavedSearch('ann', 'v1', [auditOf('a3')]), true, 'the outcome')
    expectSame(await store.deleteSavedSearch('ann', 'v1', [auditOf('a4')]), false, 'the outcome of a repeat')
    expectSame(await store.replaceSavedSearch(changed), false, 'what is gone')
    expectSame(await store.findSavedSearch('ann', 'v1'), undefined, 'the saved search afterwards')
    expectSame(ids((await store.listAudit('ann', {}, page, at(1))).rows), ['a3', 'a1'], 'the audit')
  }),
  storeCase('C11, C32: pages through saved searches newest first', async ({ store }) => {
    for (const index of [0, 1, 2, 3, 4]) {
      const createdAt = at(Math.floor(index / 2))
      await store.insertSavedSearch(savedOf(`v${index}`, { createdAt }), 9, undefined)
    }
    const seen: string[] = []
    let after: PagePosition | undefined
    do {
      const found = await store.listSavedSearches('ann', { limit: 2, ...(after && { after }) })
      seen.push(...ids(found.rows))
      after = found.next
    } while (after !== undefined)
    expectSame(seen, ['v4', 'v3', 'v2', 'v1', 'v0'], 'the list')
  }),
  storeCase(
    'C32: tells which saved searches are due, of all owners, and when the next one is',
    async ({ store }) => {
      await store.insertSavedSearch(savedOf('v1', { ...due, nextAt: at(20) }), 9, undefined)
      await store.insertSavedSearch(savedOf('v2', { ...due, owner: 'bob' }), 9, undefined)
      await store.insertSavedSearch(savedOf('v3'), 9, undefined)
      const dueAt = async (second: number, limit = 9) => {
        const found = await store.listDueSavedSearches(at(second), limit)
        return [ids(found.due), found.nextAt]
      }
      expectSame(await dueAt(9), [[], at(10)], 'before')
      expectSame(await dueAt(10), [['v2'], at(20)], 'at the first time')
      expectSame(await dueAt(30), [['v2', 'v1'], null], 'after both')
      expectSame(await dueAt(30, 1), [['v2'], null], 'the first of them')
    },
  ),
  storeCase('C32: runs a saved search once for each time, however many processes race', async ({ store }) => {
    await store.insertSavedSearch(savedOf('v1', due), 9, undefined)
    const run = (index: number, dueAt: string, nextAt: string | null) =>
      store.runDueSavedSearch({
        id: 'v1',
        dueAt,
        nextAt,
        group: groupOf(`g${index}`, { savedSearchId: 'v1', createdAt: at(index) }),
        audit: [auditOf(`a${index}`)],
      })
    const won = await race((index) => run(index, at(10), at(20)))
    expectSame(won.filter(Boolean).length, 1, 'how many ran it')
    expectSame(await run(50, at(10), at(30)), false, 'a late one')
    expectSame(await run(60, at(20), null), true, 'the next time')
    const filter = { savedSearchId: 'v1' }
    const groups = await store.listGroups('ann', filter, { limit: 1 }, at(1))
    expectSame(ids(groups.rows), ['g60'], 'the newest group')
    expectSame(groups.rows[0]?.savedSearchId, 'v1', 'its saved search')
    const rest = await store.listGroups('ann', filter, { limit: 9, after: groups.next! }, at(1))
    expectSame(rest.rows.length, 1, 'how many groups there are besides')
    const other = await store.listGroups('ann', { savedSearchId: 'v2' }, page, at(1))
    expectSame(other.rows, [], 'the groups of another one')
    expectSame((await store.listAudit('ann', {}, page, at(1))).rows.length, 2, 'how many entries there are')
    expectSame((await store.findSavedSearch('ann', 'v1'))?.nextAt, null, 'when it runs next')
  }),
]

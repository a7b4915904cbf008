import { expectSame } from '@homeward/kit/testing'
import type { CloudStore } from '../ports/cloud-store.ts'
import type { GroupFilter } from '../ports/group-store.ts'
import type { PagePosition } from '../ports/page.ts'
import type { SearchOutcome } from '../ports/search-store.ts'
import { at, groupOf, searchOf, storeCase, withDevices, type CloudStoreCase } from './store-harness.ts'

const outcomeOf = (filesFound?: number): SearchOutcome => ({
  status: 'completed',
  results: {},
  error: null,
  ...(filesFound !== undefined && { filesFound }),
})

/** Groups `g0` to `g4`, each a second later and with one search; those of `g0` and `g3` are settled. */
async function withGroups(store: CloudStore): Promise<void> {
  await withDevices(store)
  const queries = ['Invoice March', 'invoice_2026', 'straße 100%', 'march madness', 'Invoice MARCH']
  for (const [index, query] of queries.entries()) {
    const id = `g${index}`
    const times = { createdAt: at(index), expiresAt: at(100 + index) }
    const savedSearchId = index < 2 ? 'v1' : null
    const search = searchOf(`s${index}`, { ...times, query, groupId: id })
    await store.insertSearches(
      'ann',
      [search],
      undefined,
      [],
      groupOf(id, { ...times, query, savedSearchId }),
    )
  }
  for (const id of ['s0', 's3'])
    await store.settleSearch({ id, deviceId: 'd1', outcome: outcomeOf(2), now: at(9) })
}

const listed = async (store: CloudStore, filter: GroupFilter, second = 9) =>
  (await store.listGroups('ann', filter, { limit: 9 }, at(second))).rows.map(({ id }) => id).join(' ')

/** Promises of `GroupStore.listGroups` about filters. */
export const groupFilterCases: readonly CloudStoreCase[] = [
  storeCase('C32: lists the groups whose search text has all words, to the letter', async ({ store }) => {
    await withGroups(store)
    const cases: readonly (readonly [words: readonly string[], wanted: string])[] = [
      [['invoice'], 'g4 g1 g0'],
      [['MARCH', 'inv'], 'g4 g0'],
      [['STRASSE'], ''],
      [['STRAßE'], 'g2'],
      [['%'], 'g2'],
      [['e_2'], 'g1'],
      [['_'], 'g1'],
      [['invoice', 'madness'], ''],
    ]
    for (const [words, wanted] of cases) expectSame(await listed(store, { words }), wanted, words.join(' '))
  }),
  storeCase('C32: lists groups by time, status and saved search, all at once', async ({ store }) => {
    await withGroups(store)
    expectSame(await listed(store, { from: at(1), to: at(3) }), 'g2 g1', 'by time')
    expectSame(await listed(store, { status: 'settled' }), 'g3 g0', 'the settled ones')
    expectSame(await listed(store, { status: 'pending' }), 'g4 g2 g1', 'the pending ones')
    expectSame(await listed(store, { status: 'pending' }, 102), 'g4', 'the pending ones later on')
    expectSame(
      await listed(store, { savedSearchId: 'v1', status: 'settled' }),
      'g0',
      'runs of a saved search',
    )
    const all = { words: ['invoice'], from: at(1), to: at(9), status: 'pending' } as const
    expectSame(await listed(store, all), 'g4 g1', 'by everything')
    const rest = { unmade: 5, after: null }
    await store.insertSearches('ann', [], undefined, [], groupOf('g9', { createdAt: at(9), rest }))
    expectSame(await listed(store, { from: at(9), status: 'pending' }), 'g9', 'a group that is not made yet')
    expectSame(await listed(store, { from: at(9), status: 'settled' }, 100), 'g9', 'the same when it expired')
  }),
  storeCase('C11, C32: pages through the groups that a filter matches', async ({ store }) => {
    await withGroups(store)
    const seen: string[] = []
    let after: PagePosition | undefined
    do {
      const page = { limit: 1, ...(after && { after }) }
      const found = await store.listGroups('ann', { words: ['march'] }, page, at(9))
      seen.push(...found.rows.map(({ id }) => id))
      after = found.next
    } while (after !== undefined)
    expectSame(seen, ['g4', 'g3', 'g0'], 'the groups')
    expectSame((await store.listGroups('bob', { words: ['march'] }, { limit: 9 }, at(9))).rows, [], "bob's")
  }),
  storeCase('C32: adds up the files that the searches of a group found', async ({ store }) => {
    await withDevices(store)
    const searches = ['s1', 's2', 's3'].map((id) => searchOf(id, { groupId: 'g1' }))
    await store.insertSearches('ann', searches, undefined, [], groupOf('g1'))
    const found = async () => (await store.findGroup('ann', 'g1', at(9)))?.filesFound
    expectSame(await found(), 0, 'before any report')
    for (const [id, outcome] of [
      ['s1', outcomeOf(3)],
      ['s2', outcomeOf()],
      ['s3', outcomeOf(40)],
      ['s3', outcomeOf(7)],
    ] as const)
      await store.settleSearch({ id, deviceId: 'd1', outcome, now: at(2) })
    expectSame(await found(), 43, 'after the reports')
    await store.pruneResults(at(5), 9)
    expectSame(await found(), 43, 'when the results are gone')
    await store.endSearch('ann', 's3', at(6))
    expectSame(await found(), 3, 'when a search was erased')
  }),
]

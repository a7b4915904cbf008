import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createMemoryStore } from '../memory/index.ts'
import type { CloudStore } from '../ports/cloud-store.ts'
import type { PagePosition } from '../ports/page.ts'
import { createSqliteStore } from '../sqlite/index.ts'
import { at, searchOf, withDevices } from './store-harness.ts'
import { race } from '@homeward/kit/testing'

const stores: Record<string, () => CloudStore> = {
  memory: createMemoryStore,
  sqlite: () => createSqliteStore({ path: ':memory:' }),
}
const row = fc.record({ id: fc.stringMatching(/^[a-z0-9]{1,4}$/), second: fc.nat(4) })
const rows = (maxLength: number) => fc.uniqueArray(row, { selector: ({ id }) => id, maxLength })

async function readAll(store: CloudStore, limit: number, add: () => Promise<unknown>): Promise<string[]> {
  const seen: string[] = []
  let after: PagePosition | undefined
  do {
    const page = await store.listSearches(
      'ann',
      {},
      after === undefined ? { limit } : { limit, after },
      at(9),
    )
    seen.push(...page.rows.map(({ id }) => id))
    after = page.next
    await add()
  } while (after !== undefined)
  return seen
}

describe.each(Object.keys(stores))('the %s store', (name) => {
  const create = stores[name] ?? createMemoryStore

  it('C11: shows every row once that was there at the start, in order, however others are added', async () => {
    await fc.assert(
      fc.asyncProperty(
        rows(30),
        rows(10),
        fc.integer({ min: 1, max: 7 }),
        async (before, meanwhile, limit) => {
          const store = create()
          await withDevices(store)
          const insert = (id: string, second: number) =>
            store.insertSearches('ann', [searchOf(id, { createdAt: at(second) })], undefined)
          for (const { id, second } of before) await insert(id, second)
          const queue = [...meanwhile]
          const seen = await readAll(store, limit, async () => {
            const next = queue.pop()
            if (next !== undefined) await insert(`${next.id}-added`, next.second)
          })
          const expected = before
            .map(({ id, second }) => `${second} ${id}`)
            .toSorted()
            .toReversed()
          const kept = seen.filter((id) => !id.endsWith('-added'))
          expect(kept).toEqual(expected.map((text) => text.slice(2)))
          expect(new Set(seen).size).toBe(seen.length)
          await store.close()
        },
      ),
      { numRuns: 60 },
    )
  })

  it('C9: settles each search once, whatever reports race in whatever order', async () => {
    const report = fc.record({
      id: fc.constantFrom('a', 'b', 'c'),
      second: fc.nat(200),
      failed: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(report, { maxLength: 24 }), async (reports) => {
        const store = create()
        await withDevices(store)
        await store.insertSearches(
          'ann',
          ['a', 'b', 'c'].map((id) => searchOf(id)),
          undefined,
        )
        const outcomes = await Promise.all(
          reports.map(async ({ id, second, failed }) => {
            const outcome = {
              status: failed ? 'failed' : 'completed',
              results: {},
              error: failed ? `${second}` : null,
            } as const
            const settled = await store.settleSearch({ id, deviceId: 'd1', outcome, now: at(second) })
            return { id, second, kind: settled.kind }
          }),
        )
        for (const id of ['a', 'b', 'c']) {
          const inTime = outcomes.filter((outcome) => outcome.id === id && outcome.second < 100)
          const settled = outcomes.filter((outcome) => outcome.id === id && outcome.kind === 'settled')
          expect(settled.length).toBe(inTime.length > 0 ? 1 : 0)
        }
        await store.close()
      }),
      { numRuns: 60 },
    )
  })

  it('C15: whatever rotations and retirements race, one current key works', async () => {
    const store = create()
    await withDevices(store)
    await race(async (index) => {
      const key = { hash: `k${index}`, hint: '', sealed: null }
      await store.rotateKey({ owner: 'ann', deviceId: 'd1', key, previousUntil: at(50), now: at(index) })
      await store.retirePreviousKey('d1', `k${index}`)
    })
    const found = await race((index) => store.findDeviceByKeyHash(`k${index}`, at(9)))
    expect(found.filter((match) => match?.match === 'current')).toHaveLength(1)
    await store.close()
  })
})

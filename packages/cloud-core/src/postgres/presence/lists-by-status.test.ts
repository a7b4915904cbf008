import { expect, it } from 'vitest'
import type { PageRequest } from '../../ports/page.ts'
import { at, deviceOf, online } from '../../testing/store-harness.ts'
import { createListsByStatus, maxLooks } from './lists-by-status.ts'

/** Lists over so many devices, of which these are online, and how many statements they take. */
function openLists(count: number, onlineIds: readonly string[]) {
  const places = Array.from({ length: count }, (_, index) => ({
    id: `d${index}`,
    createdAt: at(count - index),
  }))
  const indexOf = new Map(places.map(({ id }, index) => [id, index]))
  const seen = new Map(onlineIds.map((id) => [id, Date.parse(at(10))]))
  const statements = { count: 0 }
  const lists = createListsByStatus({
    async listPlaces(_owner, _filter, { limit, after }: PageRequest) {
      statements.count += 1
      const start = after === undefined ? 0 : (indexOf.get(after.id) ?? 0) + 1
      const rows = places.slice(start, start + limit)
      const last = rows.at(-1)
      return { rows, ...(last && start + limit < count && { next: last }) }
    },
    async findDevices(_owner, ids) {
      statements.count += 1
      return new Map(ids.map((id) => [id, deviceOf(id)]))
    },
    presence: {
      async find() {
        statements.count += 1
        return seen
      },
    },
  })
  const list = async (page: PageRequest) => {
    statements.count = 0
    const { rows, next } = await lists.list('ann', { status: 'online' }, page, online)
    return { ids: rows.map(({ id }) => id), next, statements: statements.count }
  }
  return { list, count: () => lists.count('ann', { status: 'online' }, online) }
}

it('lists one online device among many without end, with a bounded number of statements for each page', async () => {
  const { list, count } = openLists(200_000, ['d150000'])
  const first = await list({ limit: 10 })
  expect(first).toMatchObject({ ids: [], statements: 2 * maxLooks + 1 })
  expect(first.next).toBeDefined()
  const second = await list({ limit: 10, ...(first.next && { after: first.next }) })
  expect(second.ids).toEqual(['d150000'])
  expect(await count()).toBe(1)
})

it('gives every device once, page by page, and no page behind the last device', async () => {
  const ids = ['d0', 'd1', 'd999', 'd1000', 'd1001', 'd5999', 'd6000', 'd6999']
  const { list } = openLists(7000, ids)
  const pages: string[][] = []
  let page = await list({ limit: 3 })
  for (;;) {
    pages.push(page.ids)
    if (page.next === undefined) break
    page = await list({ limit: 3, after: page.next })
  }
  expect(pages).toEqual([ids.slice(0, 3), ids.slice(3, 6), ids.slice(6)])
})

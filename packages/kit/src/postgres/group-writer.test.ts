import { Client } from 'pg'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import type { TestDatabase } from '../../../../tests/postgres/test-database.ts'
import { createTestDatabase } from '../../../../tests/postgres/test-database.ts'
import { openThings } from './testing/open-things.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

it('commits up to 64 writes that do not touch the same together, in up to four transactions at a time', async () => {
  const things = await openThings('group writer', { connectionString: database.connectionString })
  const query = vi.spyOn(Client.prototype, 'query')
  const ids = Array.from({ length: 640 }, (_, index) => `t${index}`)
  const written = await Promise.all(ids.map((id) => things.write(id, () => things.plans.insert(id))))
  const commits = query.mock.calls.flatMap(([given]: readonly unknown[], index) =>
    String(given).endsWith('commit') ? [query.mock.contexts[index]] : [],
  )
  query.mockRestore()
  await things.close()
  expect(written).toEqual(ids)
  expect(commits.length).toBe(10)
  expect(new Set(commits).size).toBe(4)
})

import { Client } from 'pg'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { agentOf } from '../../testing/conformance-fixtures.ts'
import { openPostgresStore } from './index.ts'
import type { TestDatabase } from './testing/test-database.ts'
import { createTestDatabase } from './testing/test-database.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

it('commits up to 64 writes that do not touch the same together, in up to four transactions at a time', async () => {
  const { connectionString } = database
  const store = await openPostgresStore({ connectionString })
  const query = vi.spyOn(Client.prototype, 'query')
  const writes = Array.from({ length: 640 }, (_, index) => store.insertAgent(agentOf(`a${index}`)))
  expect(new Set(await Promise.all(writes))).toEqual(new Set([true]))
  const commits = query.mock.calls.flatMap(([given]: readonly unknown[], index) =>
    String(given).endsWith('commit') ? [query.mock.contexts[index]] : [],
  )
  query.mockRestore()
  await store.close()
  expect(commits.length).toBe(10)
  expect(new Set(commits).size).toBe(4)
})

import { afterAll, beforeAll, it } from 'vitest'
import { runtimeStoreConformance } from '../../testing/runtime-store-conformance.ts'
import { createPostgresStore } from './index.ts'
import type { TestDatabase } from './testing/test-database.ts'
import { createTestDatabase } from './testing/test-database.ts'
import { emptySchema } from './testing/test-schemas.ts'

const schema = 'conformance'
let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

for (const { name, run } of runtimeStoreConformance) {
  it(name, () =>
    run({
      create: async () => {
        const { connectionString } = database
        await emptySchema(database, schema)
        let current = await createPostgresStore({ connectionString, schema })
        const reopen = async () => {
          await current.close()
          return (current = await createPostgresStore({ connectionString, schema }))
        }
        return { store: current, reopen, dispose: () => current.close() }
      },
    }),
  )
}

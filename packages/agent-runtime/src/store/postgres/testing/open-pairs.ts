import { createTestStore } from '../../../testing/create-test-store.ts'
import type { RuntimeStore } from '../../ports/runtime-store.ts'
import { createPostgresStore } from '../create-postgres-store.ts'
import { createTestDatabase } from './test-database.ts'
import { emptySchema } from './test-schemas.ts'

/** Two new, empty stores that shall do the same. */
interface StorePair extends AsyncDisposable {
  readonly sqlite: RuntimeStore
  readonly postgres: RuntimeStore
}

/** Opens pairs of stores over one database of Postgres, one pair at a time. */
export async function openPairs() {
  const database = await createTestDatabase()
  const { connectionString } = database
  const schema = 'pairs'
  await (await createPostgresStore({ connectionString, schema })).close()
  return {
    async open(): Promise<StorePair> {
      await emptySchema(database, schema)
      const sqlite = createTestStore()
      const postgres = await createPostgresStore({ connectionString, schema, maxConnections: 2 })
      return {
        sqlite,
        postgres,
        async [Symbol.asyncDispose]() {
          await Promise.all([sqlite.close(), postgres.close()])
        },
      }
    },
    close: () => database.drop(),
  }
}

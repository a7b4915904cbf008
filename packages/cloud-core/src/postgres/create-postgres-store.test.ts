import { afterAll, beforeAll, it } from 'vitest'
import type { TestDatabase } from '../../../../tests/postgres/test-database.ts'
import { createTestDatabase } from '../../../../tests/postgres/test-database.ts'
import { cloudStoreConformance } from '../testing/index.ts'
import type { PostgresStatement } from './index.ts'
import { createPostgresStore } from './index.ts'
import { emptySchema } from './testing/empty-schema.ts'

const schema = 'conformance'
let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

for (const { name, run } of cloudStoreConformance) {
  it(name, () =>
    run({
      create: async () => {
        const { connectionString } = database
        await emptySchema(database, schema)
        const statements: PostgresStatement[] = []
        const onStatement = (statement: PostgresStatement) => void statements.push(statement)
        const open = () => createPostgresStore({ connectionString, schema, onStatement })
        return { store: await open(), statements: () => statements, reopen: open }
      },
    }),
  )
}

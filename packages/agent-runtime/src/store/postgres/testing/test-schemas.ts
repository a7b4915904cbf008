import { emptySchema as emptyTables } from '../../../../../../tests/postgres/empty-schema.ts'
import type { TestDatabase } from './test-database.ts'

/** Empties a schema of the runtime, but for the one row that there is from the start. */
export const emptySchema = (database: TestDatabase, schema: string): Promise<void> =>
  emptyTables(
    database,
    schema,
    `insert into ${schema}.memory_totals (texts, words) values (0, 0);
    insert into ${schema}.chunk_totals (texts, words) values (0, 0);`,
  )

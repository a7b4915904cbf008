import type { TestDatabase } from '../../../../../tests/postgres/test-database.ts'

/** Empties every table of a schema, which is much faster than making a new one. */
export async function emptySchema(database: TestDatabase, schema: string): Promise<void> {
  const tables = await database.query(
    "select tablename from pg_tables where schemaname = $1 and tablename <> 'migrations'",
    [schema],
  )
  if (tables.length === 0) return
  await database.query(
    `truncate ${tables.map(({ tablename }) => `${schema}.${String(tablename)}`).join(', ')}`,
  )
}

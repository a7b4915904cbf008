import type { TestDatabase } from './test-database.ts'

/** Empties every table of a schema, which is much faster than making a new one. */
export async function emptySchema(database: TestDatabase, schema: string): Promise<void> {
  const tables = await database.query(
    "select tablename from pg_tables where schemaname = $1 and tablename <> 'migrations'",
    [schema],
  )
  if (tables.length === 0) return
  const names = tables.map(({ tablename }) => `${schema}.${String(tablename)}`)
  await database.query(
    `truncate ${names.join(', ')} restart identity; insert into ${schema}.memory_totals (texts, words) values (0, 0)`,
  )
}

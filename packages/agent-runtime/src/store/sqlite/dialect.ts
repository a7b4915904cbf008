import { DummyDriver, Kysely, sql, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely'
import type { RuntimeTables } from '../sql/schema.ts'
import type { JournalField } from '../sql/usage/usage-plans.ts'

/**
 * Builds SQLite's SQL and runs nothing: statements are built once and go straight to `node:sqlite`, which saves the
 * query builder's cost on every call.
 */
export function createSqliteBuilder(): Kysely<RuntimeTables> {
  return new Kysely<RuntimeTables>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  })
}

/** A field of an event, by SQLite's functions on JSON. */
export const journalField: JournalField = (name) => sql`json_extract(data, ${sql.lit(`$.${name}`)})`

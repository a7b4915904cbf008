import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely'
import type { RuntimeTables } from '../sql/schema.ts'

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

import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely'
import type { SqlBuilder } from '../sql/sql-builder.ts'

/**
 * Builds SQLite's SQL and runs nothing: statements are built once and go straight to `node:sqlite`, which saves the
 * query builder's cost on every call.
 *
 * @example
 * const builder = createSqliteBuilder<Tables>()
 * const { sql } = builder.selectFrom('devices').selectAll().compile()
 */
export function createSqliteBuilder<Tables>(): SqlBuilder<Tables> {
  return new Kysely<Tables>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  })
}

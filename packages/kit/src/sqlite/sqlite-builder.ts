import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely'
import type { SqlBuilder } from '../sql/sql-builder.ts'

/**
 * Creates a builder for SQLite's SQL that runs nothing.
 *
 * Statements are built once and go directly to `node:sqlite`, which avoids the cost of the query builder per call.
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

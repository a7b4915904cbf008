import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely'
import { ColumnTypes } from './column-types.ts'
import type { SqlBuilder } from '../sql/sql-builder.ts'

/**
 * Builds the SQL of Postgres and runs nothing: statements are built once and go straight to the connection.
 *
 * @example
 * const builder = createPostgresBuilder<Tables>()
 * const { sql } = builder.selectFrom('devices').selectAll().compile()
 */
export function createPostgresBuilder<Tables>(): SqlBuilder<Tables> {
  return new Kysely<Tables>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
    plugins: [new ColumnTypes()],
  })
}

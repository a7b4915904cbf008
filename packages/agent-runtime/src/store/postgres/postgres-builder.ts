import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  sql,
} from 'kysely'
import type { RuntimeTables } from '../sql/schema.ts'
import type { JournalField } from '../sql/usage/usage-plans.ts'
import { ColumnTypes } from './column-types.ts'

/** Builds the SQL of Postgres and runs nothing: statements are built once and go straight to the connection. */
export function createPostgresBuilder(): Kysely<RuntimeTables> {
  return new Kysely<RuntimeTables>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
    plugins: [new ColumnTypes()],
  })
}

/** A field of an event, by the operators of Postgres on JSON. */
export const journalField: JournalField = (name) => sql`data::json ->> ${sql.lit(name)}`

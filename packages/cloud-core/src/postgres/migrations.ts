import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { cloudMigrations } from '../sql/migrations.ts'
import { type Migration, toScript } from '@homeward/kit/sql'
import type { CloudTables } from '../sql/schema.ts'

/** All steps, oldest first. */
export const postgresMigrations: readonly Migration<CloudTables>[] = [
  {
    version: 1,
    name: 'everything of the first release on Postgres',
    build: (db, schema) => [...sharedSteps(db, schema, 1, 2), ...leaveRoom(db)],
  },
]

/** Steps that every SQL database has, from one version to another. */
function sharedSteps(
  db: Kysely<CloudTables>,
  schema: string,
  first: number,
  last: number,
): readonly string[] {
  return cloudMigrations
    .filter(({ version }) => version >= first && version <= last)
    .flatMap((migration) => [toScript(migration, db, schema)])
}

/**
 * A row of a device is written with each batch of heartbeats, and one of a search once more when it is settled: with room
 * in its page the new version lies beside the old one, and no index that did not change is touched.
 */
function leaveRoom(db: Kysely<CloudTables>): readonly string[] {
  return [
    sql`alter table devices set (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05)`,
    sql`alter table searches set (fillfactor = 90)`,
  ].map((statement) => statement.compile(db).sql)
}

import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import type { Migration } from '@homeward/kit/sql'
import { buildTables } from '../sql/migrations.ts'
import type { CloudTables } from '../sql/schema.ts'

/** All steps, oldest first. */
export const postgresMigrations: readonly Migration<CloudTables>[] = [
  {
    version: 1,
    name: 'everything of the first release on Postgres',
    build: (db) => [...buildTables(db), ...leaveRoom(db)],
  },
]

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

import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { cloudMigrations } from '../sql/migrations.ts'
import { toScript } from '@homeward/kit/sql'
import type { CloudTables } from '../sql/schema.ts'

/** One step of the schema. What was released is never changed: another step is added. */
export interface PostgresMigration {
  /** 1, 2, 3, ... */
  readonly version: number
  readonly name: string
  /** SQL statements, in order. */
  build(db: Kysely<CloudTables>): readonly string[]
}

/** All steps, oldest first. */
export const postgresMigrations: readonly PostgresMigration[] = [
  {
    version: 1,
    name: 'everything of the first release on Postgres',
    build: (db) => [...sharedSteps(db, 1, 2), ...leaveRoom(db)],
  },
]

/** Steps that every SQL database has, from one version to another. */
function sharedSteps(db: Kysely<CloudTables>, first: number, last: number): readonly string[] {
  return cloudMigrations
    .filter(({ version }) => version >= first && version <= last)
    .flatMap((migration) => [toScript(migration, db, 'public')])
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

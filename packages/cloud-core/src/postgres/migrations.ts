import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import type { Migration } from '@homeward/kit/sql'
import { buildCatalogs } from '../sql/catalog-plans.ts'
import { buildActors, buildSelections, buildTables } from '../sql/migrations.ts'
import { buildGroupCounts } from '../sql/group-counts.ts'
import type { CloudTables } from '../sql/schema.ts'
import { buildFilters } from '../sql/token-table.ts'
import { buildWebhookTriggers, rebuildSettledTriggers } from '../sql/webhook-triggers.ts'

/** All steps, oldest first. */
export const postgresMigrations: readonly Migration<CloudTables>[] = [
  {
    version: 2,
    name: 'everything of the first release on Postgres',
    build: (db) => [...buildTables(db), ...leaveRoom(db), ...buildWebhookTriggers('postgres')],
  },
  { version: 3, name: 'what a search selects', build: buildSelections },
  {
    version: 4,
    name: 'devices that tokens and webhooks reach, and how work ended',
    build: (db) => [...buildFilters(db), ...rebuildSettledTriggers('postgres')],
  },
  {
    version: 5,
    name: 'counts of groups, and reports that stay in their page',
    build: (db) => buildGroupCounts(db, 'postgres'),
  },
  { version: 6, name: 'who asked', build: buildActors },
  { version: 7, name: 'catalogs of devices', build: buildCatalogs },
]

/** Room in the pages of last-seen times; see {@link leaveRoom}. */
export const leaveRoomForHeartbeats = sql`alter table presence
  set (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05)`

/**
 * A row of presence is written with each heartbeat: with room in its page the new version lies beside the old one, and no
 * index is touched. Of searches `buildGroupCounts` sees to that.
 */
function leaveRoom(db: Kysely<CloudTables>): readonly string[] {
  const statements = [leaveRoomForHeartbeats, sql`alter table searches set (fillfactor = 90)`]
  return statements.map((statement) => statement.compile(db).sql)
}

/**
 * Newest version of the Postgres schema that this release supports: the largest `version` in the table `migrations`.
 */
export const postgresSchemaVersion: number = Math.max(...postgresMigrations.map(({ version }) => version))

import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { compileStatement, limitTo, type Migration } from '@homeward/kit/sql'
import { buildPresence } from '../../sql/migrations.ts'
import { compileFindHistory } from '../../sql/presence-history.ts'
import type { CloudTables } from '../../sql/schema.ts'
import { leaveRoomForHeartbeats } from '../migrations.ts'

/** A row of the table. */
export interface PresenceRow {
  readonly deviceId: string
  /** Milliseconds since the epoch. */
  readonly lastSeenMs: number
  /** When the device was reported as offline; null since its last heartbeat. */
  readonly offlineMs: number | null
}

/** The schema of a presence database. */
export const presenceMigrations: readonly Migration<CloudTables>[] = [
  {
    version: 1,
    name: 'last-seen times in a database of their own',
    build: (db) => [...buildPresence(db), leaveRoomForHeartbeats.compile(db).sql],
  },
]

const columns = sql`device_id as "deviceId", last_seen_ms as "lastSeenMs", offline_ms as "offlineMs"`

interface Ids {
  ids: readonly string[]
}

/** Statements on the table alone. Rows are written in the order of their ids, so that two processes do not deadlock. */
export function createPresenceStatements(db: Kysely<CloudTables>) {
  return {
    find: compileStatement<Ids, PresenceRow>('read', ({ ids }) => ({
      compile: () =>
        sql<PresenceRow>`select ${columns} from presence where device_id = any(${ids}::text[])`.compile(db),
    })),
    list: compileStatement<{ after: string; limit: number }, PresenceRow>('read', ({ after, limit }) => ({
      compile: () =>
        sql<PresenceRow>`select ${columns} from presence where device_id > ${after}
          order by device_id limit ${limitTo(limit)}`.compile(db),
    })),
    claim: compileStatement<Ids & { beforeMs: number; nowMs: number }, PresenceRow>(
      'write',
      ({ ids, beforeMs, nowMs }) => ({
        compile: () =>
          sql<PresenceRow>`update presence set offline_ms = ${nowMs} from (
              select device_id as id from presence
              where device_id = any(${ids}::text[]) and last_seen_ms < ${beforeMs} and offline_ms is null
              order by device_id for no key update
            ) as silent where device_id = silent.id returning ${columns}`.compile(db),
      }),
    ),
    remove: compileStatement<Ids, unknown>('write', ({ ids }) => ({
      compile: () =>
        sql`delete from presence using (
            select device_id as id from presence where device_id = any(${ids}::text[]) order by device_id for update
          ) as lost where device_id = lost.id`.compile(db),
    })),
    removeGaps: compileStatement<Ids, unknown>('write', ({ ids }) => ({
      compile: () => sql`delete from presence_gaps where device_id = any(${ids}::text[])`.compile(db),
    })),
    findHistory: compileFindHistory(db),
  }
}

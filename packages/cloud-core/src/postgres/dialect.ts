import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { all, compileStatement } from '@homeward/kit/sql'
import type { SqlDialect, TouchPlan } from '../sql/dialect.ts'
import type { RowLocks } from '../sql/row-locks.ts'
import type { CloudTables } from '../sql/schema.ts'

/** Beats in one statement. */
const maxTogether = 5000

/** Transactions of Postgres are not alone: rows that a decision rests on are locked when they are read. */
const rowLocks: RowLocks = {
  toChange: (query) => query.forNoKeyUpdate(),
  toDelete: (query) => query.forUpdate(),
  whereFree: (query) => query.forUpdate().skipLocked(),
}

/** How Postgres does what databases do each in their own way. */
export const postgresDialect: SqlDialect = {
  locks: rowLocks,
  createTouch: touchTogether,
  contains: (column, part) => sql`strpos(${column}, ${part}) > 0`,
  anyOf: (ids) => sql`any(array(${ids}))`,
}

/**
 * A whole batch in one statement. It locks the rows in the order of their ids, or two processes with the same devices in
 * their batches would wait for each other.
 */
function touchTogether(db: Kysely<CloudTables>): TouchPlan {
  const touch = compileStatement<
    { ids: readonly string[]; times: readonly number[]; latestMs: number },
    unknown
  >('write', ({ ids, times, latestMs }) => ({
    compile: () =>
      sql`insert into presence (device_id, last_seen_ms)
          select beats.id, beats.at from unnest(${ids}::text[], ${times}::bigint[]) as beats (id, at)
          where exists (select 1 from devices where devices.id = beats.id) order by beats.id
          on conflict (device_id) do update set last_seen_ms = excluded.last_seen_ms, offline_ms = null
          where presence.last_seen_ms < excluded.last_seen_ms or presence.last_seen_ms > ${latestMs}`.compile(
        db,
      ),
  }))
  return function* (batch, latest) {
    for (let start = 0; start < batch.length; start += maxTogether) {
      const part = batch.slice(start, start + maxTogether)
      yield* all(touch, {
        ids: part.map(({ deviceId }) => deviceId),
        times: part.map(({ lastSeenAt }) => Date.parse(lastSeenAt)),
        latestMs: Date.parse(latest),
      })
    }
  }
}

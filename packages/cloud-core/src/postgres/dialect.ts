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
export const postgresDialect: SqlDialect = { locks: rowLocks, createTouch: touchTogether }

/**
 * A whole batch in one statement. It locks the rows in the order of their ids first, or two processes with the same
 * devices in their batches would wait for each other.
 */
function touchTogether(db: Kysely<CloudTables>): TouchPlan {
  const touch = compileStatement<
    { ids: readonly string[]; times: readonly string[]; latest: string },
    unknown
  >('write', ({ ids, times, latest }) => ({
    compile: () =>
      sql`with found as (
            select devices.id, beats.at from unnest(${ids}::text[], ${times}::text[]) as beats (id, at)
            join devices on devices.id = beats.id
            where devices.last_seen_at is null or devices.last_seen_at < beats.at
              or devices.last_seen_at > ${latest}
            order by devices.id for no key update of devices
          )
          update devices set last_seen_at = found.at from found where devices.id = found.id`.compile(db),
  }))
  return function* (batch, latest) {
    for (let start = 0; start < batch.length; start += maxTogether) {
      const part = batch.slice(start, start + maxTogether)
      yield* all(touch, {
        ids: part.map(({ deviceId }) => deviceId),
        times: part.map(({ lastSeenAt }) => lastSeenAt),
        latest,
      })
    }
  }
}

import type { Kysely, RawBuilder } from 'kysely'
import { sql } from 'kysely'
import { compileStatement, type Statement, toCompilable } from '@homeward/kit/sql'
import { gapRetentionMs, maxGaps } from '../devices/presence-gaps.ts'
import type { PresenceHistory } from '../ports/presence-store.ts'
import type { CloudTables } from './schema.ts'

interface ById {
  deviceId: string
}

/** A gap, with the device's first heartbeat; without gaps there is one row. Milliseconds since the epoch. */
interface HistoryRow {
  firstSeenMs: number
  fromMs: number | null
  toMs: number | null
}

/** Reads the history of a device; {@link toPresenceHistory} takes its rows. */
export function compileFindHistory(db: Kysely<CloudTables>): Statement<ById, HistoryRow> {
  return compileStatement('read', ({ deviceId }) =>
    db
      .selectFrom('presence')
      .leftJoin('presence_gaps', 'presence_gaps.device_id', 'presence.device_id')
      .select(['first_seen_ms as firstSeenMs', 'from_ms as fromMs', 'to_ms as toMs'])
      .where('presence.device_id', '=', deviceId)
      .orderBy('from_ms'),
  )
}

/** The history that rows of {@link compileFindHistory} stand for; undefined if the device was never seen. */
export function toPresenceHistory(rows: readonly HistoryRow[]): PresenceHistory | undefined {
  const [first] = rows
  if (first === undefined) return undefined
  const gaps = rows.flatMap(({ fromMs, toMs }) =>
    fromMs === null || toMs === null ? [] : [{ from: toTime(fromMs), to: toTime(toMs) }],
  )
  return { firstSeenAt: toTime(first.firstSeenMs), gaps }
}

const toTime = (ms: number) => new Date(ms).toISOString()

/**
 * Removes gaps that are too old or too many, after devices returned.
 *
 * @param isReturned Compares `device_id` with the argument of the statement.
 */
export function compilePruneGaps<Args extends { latestMs: number }>(
  db: Kysely<CloudTables>,
  isReturned: (args: Args) => RawBuilder<boolean>,
): Statement<Args, unknown> {
  return compileStatement<Args, unknown>('write', (args) =>
    toCompilable(
      db,
      sql`delete from presence_gaps where (device_id, from_ms) in (
        select device_id, from_ms from (
          select device_id, from_ms, to_ms,
            row_number() over (partition by device_id order by from_ms desc) as place
          from presence_gaps where ${isReturned(args)}
        ) as gaps
        where place > ${sql.lit(maxGaps)} or to_ms < ${args.latestMs} - ${sql.lit(gapRetentionMs)}
      )`,
    ),
  )
}

/** Removes all that is stored of a device's presence. Last-seen times first: heartbeats lock them, then write gaps. */
export function compileForgetPresence(db: Kysely<CloudTables>): readonly Statement<ById, unknown>[] {
  const forget = compileStatement<ById, unknown>('write', ({ deviceId }) =>
    db.deleteFrom('presence').where('device_id', '=', deviceId),
  )
  return [forget, compileForgetGaps(db)]
}

/** Removes the gaps of a device. */
export function compileForgetGaps(db: Kysely<CloudTables>): Statement<ById, unknown> {
  return compileStatement('write', ({ deviceId }) =>
    db.deleteFrom('presence_gaps').where('device_id', '=', deviceId),
  )
}

import type { Kysely, RawBuilder } from 'kysely'
import { sql } from 'kysely'
import { compileStatement, each, toCompilable } from '@homeward/kit/sql'
import type { HeartbeatWrite } from '../ports/device-store.ts'
import type { Plan } from './plan.ts'
import type { RowLocks } from './row-locks.ts'
import { compilePruneGaps } from './presence-history.ts'
import { noRowLocks } from './row-locks.ts'
import type { CloudTables } from './schema.ts'

/**
 * Notes when devices were last seen: never earlier than before, unless what is stored lies behind `latest`. Records the
 * gaps of those that returned.
 */
export type TouchPlan = (batch: readonly Omit<HeartbeatWrite, 'metadata'>[], latest: string) => Plan<void>

/** What databases do each in their own way. */
export interface SqlDialect {
  readonly locks: RowLocks
  createTouch(db: Kysely<CloudTables>): TouchPlan
  /** Whether a column's text contains a part, to the letter. */
  contains(column: RawBuilder<unknown>, part: string): RawBuilder<boolean>
  /** Whether a column is in a list of texts, which is given as JSON. */
  isAmong(column: RawBuilder<unknown>, list: string): RawBuilder<boolean>
  /** A set of ids that a column is compared with at once, where that is faster than one look for each row. */
  anyOf?(ids: RawBuilder<unknown>): RawBuilder<unknown>
}

/** For a database inside the process: its transactions are alone, and a statement for each row costs no round trip. */
export const embeddedDialect: SqlDialect = {
  locks: noRowLocks,
  createTouch: touchRowByRow,
  contains: (column, part) => sql`instr(${column}, ${part}) > 0`,
  isAmong: (column, list) => sql`${column} in (select value from json_each(${list}))`,
}

function touchRowByRow(db: Kysely<CloudTables>): TouchPlan {
  const touch = compileStatement<{ deviceId: string; atMs: number; latestMs: number }, unknown>(
    'write',
    ({ deviceId, atMs, latestMs }) => ({
      compile: () =>
        sql`insert into presence (device_id, last_seen_ms, first_seen_ms)
          select id, ${atMs}, ${atMs} from devices where id = ${deviceId}
          on conflict (device_id) do update set last_seen_ms = excluded.last_seen_ms, offline_ms = null,
            first_seen_ms = min(presence.first_seen_ms, excluded.first_seen_ms)
          where presence.last_seen_ms < excluded.last_seen_ms or presence.last_seen_ms > ${latestMs}`.compile(
          db,
        ),
    }),
  )
  const endGap = compileEndGap(db)
  const prune = compilePruneGaps<{ deviceId: string; latestMs: number }>(
    db,
    ({ deviceId }) => sql`device_id = ${deviceId}`,
  )
  return function* (batch, latest) {
    if (batch.length === 0) return
    const latestMs = Date.parse(latest)
    const returns = batch.flatMap(({ deviceId, returned }) =>
      returned
        ? [{ deviceId, atMs: Date.parse(returned.at), beforeMs: Date.parse(returned.silentBefore), latestMs }]
        : [],
    )
    if (returns.length > 0) {
      yield* each(endGap, returns)
      yield* each(prune, returns)
    }
    yield* each(
      touch,
      batch.map(({ deviceId, lastSeenAt }) => ({ deviceId, atMs: Date.parse(lastSeenAt), latestMs })),
    )
  }
}

function compileEndGap(db: Kysely<CloudTables>) {
  return compileStatement<{ deviceId: string; atMs: number; beforeMs: number }, unknown>(
    'write',
    ({ deviceId, atMs, beforeMs }) =>
      toCompilable(
        db,
        sql`insert into presence_gaps (device_id, from_ms, to_ms) select device_id, last_seen_ms, ${atMs}
          from presence where device_id = ${deviceId} and last_seen_ms < ${beforeMs} on conflict do nothing`,
      ),
  )
}

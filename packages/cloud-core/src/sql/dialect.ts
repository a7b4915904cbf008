import type { Kysely, RawBuilder } from 'kysely'
import { sql } from 'kysely'
import { compileStatement, each } from '@homeward/kit/sql'
import type { HeartbeatWrite } from '../ports/device-store.ts'
import type { Plan } from './plan.ts'
import type { RowLocks } from './row-locks.ts'
import { noRowLocks } from './row-locks.ts'
import type { CloudTables } from './schema.ts'

/** Notes when devices were last seen: never earlier than before, unless what is stored lies behind `latest`. */
export type TouchPlan = (
  batch: readonly Pick<HeartbeatWrite, 'deviceId' | 'lastSeenAt'>[],
  latest: string,
) => Plan<void>

/** What databases do each in their own way. */
export interface SqlDialect {
  readonly locks: RowLocks
  createTouch(db: Kysely<CloudTables>): TouchPlan
  /** Whether a column's text contains a part, to the letter. */
  contains(column: RawBuilder<unknown>, part: string): RawBuilder<boolean>
  /** A set of ids that a column is compared with at once, where that is faster than one look for each row. */
  anyOf?(ids: RawBuilder<unknown>): RawBuilder<unknown>
}

/** For a database inside the process: its transactions are alone, and a statement for each row costs no round trip. */
export const embeddedDialect: SqlDialect = {
  locks: noRowLocks,
  createTouch: touchRowByRow,
  contains: (column, part) => sql`instr(${column}, ${part}) > 0`,
}

function touchRowByRow(db: Kysely<CloudTables>): TouchPlan {
  const touch = compileStatement<{ deviceId: string; atMs: number; latestMs: number }, unknown>(
    'write',
    ({ deviceId, atMs, latestMs }) => ({
      compile: () =>
        sql`insert into presence (device_id, last_seen_ms) select id, ${atMs} from devices where id = ${deviceId}
          on conflict (device_id) do update set last_seen_ms = excluded.last_seen_ms, offline_ms = null
          where presence.last_seen_ms < excluded.last_seen_ms or presence.last_seen_ms > ${latestMs}`.compile(
          db,
        ),
    }),
  )
  return function* (batch, latest) {
    if (batch.length === 0) return
    const latestMs = Date.parse(latest)
    yield* each(
      touch,
      batch.map(({ deviceId, lastSeenAt }) => ({ deviceId, atMs: Date.parse(lastSeenAt), latestMs })),
    )
  }
}

import type { Kysely } from 'kysely'
import { compileStatement, each } from '@homeward/kit/sql'
import type { Touch } from '../ports/device-store.ts'
import type { Plan } from './plan.ts'
import type { RowLocks } from './row-locks.ts'
import { noRowLocks } from './row-locks.ts'
import type { CloudTables } from './schema.ts'

/** Notes when devices were last seen: never earlier than before, unless what is stored lies behind `latest`. */
export type TouchPlan = (
  batch: readonly Pick<Touch, 'deviceId' | 'lastSeenAt'>[],
  latest: string,
) => Plan<void>

/** What databases do each in their own way. */
export interface SqlDialect {
  readonly locks: RowLocks
  createTouch(db: Kysely<CloudTables>): TouchPlan
}

/** For a database inside the process: its transactions are alone, and a statement for each row costs no round trip. */
export const embeddedDialect: SqlDialect = { locks: noRowLocks, createTouch: touchRowByRow }

function touchRowByRow(db: Kysely<CloudTables>): TouchPlan {
  const touch = compileStatement<{ deviceId: string; lastSeenAt: string; latest: string }, unknown>(
    'write',
    ({ deviceId, lastSeenAt, latest }) =>
      db
        .updateTable('devices')
        .set({ last_seen_at: lastSeenAt })
        .where('id', '=', deviceId)
        .where((eb) =>
          eb.or([
            eb('last_seen_at', 'is', null),
            eb('last_seen_at', '<', lastSeenAt),
            eb('last_seen_at', '>', latest),
          ]),
        ),
  )
  return function* (batch, latest) {
    if (batch.length === 0) return
    yield* each(
      touch,
      batch.map(({ deviceId, lastSeenAt }) => ({ deviceId, lastSeenAt, latest })),
    )
  }
}

import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import type { PendingCounts } from '../ports/cloud-store.ts'
import { createCreationPlans } from './creation-plans.ts'
import { createDevicePlans } from './device-plans.ts'
import { createOwnDevicesPlan } from './own-devices.ts'
import type { Plan } from './plan.ts'
import { first } from './plan.ts'
import type { CloudTables } from './schema.ts'
import { createSearchPlans } from './search-plans.ts'
import { compileStatement } from './statement.ts'
import { createUploadPlans } from './upload-plans.ts'

/**
 * Every verb of `CloudStore` as a plan, for an SQL adapter to run. All SQL is built here, once, by the dialect of
 * `db`, which is never asked to run anything.
 */
export function createCloudPlans(db: Kysely<CloudTables>) {
  const claimOnce = createCreationPlans(db)
  const ownsDevices = createOwnDevicesPlan(db)
  const count = compileCount(db)
  return {
    ...createDevicePlans(db, claimOnce),
    ...createSearchPlans(db, claimOnce, ownsDevices),
    ...createUploadPlans(db, claimOnce, ownsDevices),

    *countPending(deviceId: string, now: string): Plan<PendingCounts> {
      const row = yield* first(count, { deviceId, now })
      return { searches: row?.searches ?? 0, uploads: row?.uploads ?? 0 }
    },
  }
}

/** See {@link createCloudPlans}. */
export type CloudPlans = ReturnType<typeof createCloudPlans>

function compileCount(db: Kysely<CloudTables>) {
  const pending = sql.lit<'pending'>('pending')
  return compileStatement<
    { deviceId: string; now: string },
    { searches: number | null; uploads: number | null }
  >('read', ({ deviceId, now }) =>
    db.selectNoFrom((eb) => [
      eb
        .selectFrom('searches')
        .select((count) => count.fn.countAll<number>().as('count'))
        .where('device_id', '=', deviceId)
        .where('status', '=', pending)
        .where('expires_at', '>', now)
        .as('searches'),
      eb
        .selectFrom('uploads')
        .select((count) => count.fn.countAll<number>().as('count'))
        .where('device_id', '=', deviceId)
        .where('status', '=', pending)
        .where('expires_at', '>', now)
        .where((free) => free.or([free('lease_until', 'is', null), free('lease_until', '<=', now)]))
        .as('uploads'),
    ]),
  )
}

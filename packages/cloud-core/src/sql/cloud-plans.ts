import { type Kysely, sql } from 'kysely'
import { compileStatement, first } from '@homeward/kit/sql'
import type { PendingCounts } from '../ports/cloud-store.ts'
import { leaseTimes, type LeaseTimes } from '../uploads/lease-times.ts'
import { createAskedPlans } from './asked-plans.ts'
import { type AppendAudit, createAuditPlans } from './audit-plans.ts'
import { createCatalogPlans } from './catalog-plans.ts'
import { type ClaimOnce, createCreationPlans, type FindRepeat } from './creation-plans.ts'
import { createDevicePlans } from './device-plans.ts'
import {
  type AddGroup,
  createAddGroup,
  createGroupPlans,
  createOwnDevicesPlan,
  type OwnsDevices,
} from './group-plans.ts'
import type { SqlDialect } from './dialect.ts'
import { createEnrollmentPlans } from './enrollment-plans.ts'
import type { Plan } from './plan.ts'
import { createSavedSearchPlans } from './saved-search-plans.ts'
import type { CloudTables } from './schema.ts'
import { createPresencePlans } from './presence-plans.ts'
import { createSearchPlans } from './search-plans.ts'
import { createRemovalPlans } from './removal-plans.ts'
import { createQuotaPlans } from './quota-plans.ts'
import { createRetentionPlans } from './retention-plans.ts'
import { createTokenPlans } from './token-plans.ts'
import { isFree } from './upload-leases.ts'
import { createUploadPlans } from './upload-plans.ts'
import { createCloudWebhookPlans } from './webhook-plans.ts'

/** What the verbs of several subjects share. */
export interface CloudPlanParts {
  readonly dialect: SqlDialect
  readonly claimOnce: ClaimOnce
  readonly findRepeat: FindRepeat
  readonly ownsDevices: OwnsDevices
  readonly appendAudit: AppendAudit
  readonly addGroup: AddGroup
}

/**
 * Every verb of `CloudStore` as a plan, for an SQL adapter to run. All SQL is built here, once, by the dialect of
 * `db`, which is never asked to run anything.
 */
export function createCloudPlans(db: Kysely<CloudTables>, dialect: SqlDialect) {
  const audit = createAuditPlans(db, dialect.locks)
  const parts: CloudPlanParts = {
    dialect,
    ...createCreationPlans(db, dialect.locks),
    ownsDevices: createOwnDevicesPlan(db),
    appendAudit: audit.appendAudit,
    addGroup: createAddGroup(db, { dialect }),
  }
  const count = compileCount(db)
  const devices = createDevicePlans(db, parts)
  const webhooks = createCloudWebhookPlans(db, parts)
  return {
    ...audit,
    ...createAskedPlans(db),
    ...devices,
    ...createPresencePlans(db, webhooks),
    ...createSearchPlans(db, parts),
    ...createGroupPlans(db, parts),
    ...createSavedSearchPlans(db, parts),
    ...createUploadPlans(db, parts),
    ...createEnrollmentPlans(db, parts, devices),
    ...createTokenPlans(db, parts),
    ...webhooks,
    ...createRetentionPlans(db, parts),
    ...createRemovalPlans(db, parts),
    ...createQuotaPlans(db, parts),
    ...createCatalogPlans(db, parts),

    *countPending(deviceId: string, now: string): Plan<PendingCounts> {
      const row = yield* first(count, { deviceId, ...leaseTimes(now) })
      return { searches: row?.searches ?? 0, uploads: row?.uploads ?? 0 }
    },
  }
}

function compileCount(db: Kysely<CloudTables>) {
  const pending = sql.lit<'pending'>('pending')
  return compileStatement<
    { deviceId: string } & LeaseTimes,
    { searches: number | null; uploads: number | null }
  >('read', ({ deviceId, now, latestLease }) =>
    db.selectNoFrom((eb) => [
      eb
        .selectFrom('waiting_searches')
        .select((count) => count.fn.countAll<number>().as('count'))
        .where('device_id', '=', deviceId)
        .where('expires_at', '>', now)
        .as('searches'),
      eb
        .selectFrom('uploads')
        .select((count) => count.fn.countAll<number>().as('count'))
        .where('device_id', '=', deviceId)
        .where('status', '=', pending)
        .where('expires_at', '>', now)
        .where(isFree({ now, latestLease }))
        .as('uploads'),
    ]),
  )
}

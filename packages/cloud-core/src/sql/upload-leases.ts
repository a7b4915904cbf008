import type { RawBuilder } from 'kysely'
import { sql } from 'kysely'
import type { LeaseTimes } from '../uploads/lease-times.ts'

/** Whether a request has a lease that counts, in SQL. */
export function isLeased({ now, latestLease }: LeaseTimes): RawBuilder<boolean> {
  return sql`(lease_until > ${now} and lease_until <= ${latestLease})`
}

/** Whether a request has no lease that counts, in SQL. */
export function isFree({ now, latestLease }: LeaseTimes): RawBuilder<boolean> {
  return sql`(lease_until is null or lease_until <= ${now} or lease_until > ${latestLease})`
}

import { quotaExceededError } from '@homeward/contract/device-cloud'
import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { all, compileStatement, limitTo } from '@homeward/kit/sql'
import type { AskedWork } from '../ports/audit-store.ts'
import type { Page, PageRequest } from '../ports/page.ts'
import { canceledSearchError, expiredSearchError } from '../searches/expiry.ts'
import { canceledUploadError, expiredUploadError } from '../uploads/expiry.ts'
import { isLeaseHeld } from '../uploads/lease-times.ts'
import { toPage } from './page.ts'
import type { Plan } from './plan.ts'
import type { CloudTables } from './schema.ts'
import { actorOf } from './search-row.ts'

/** A search or an upload request as both tables have it; searches have no lease. */
export interface AskedRow {
  readonly id: string
  readonly kind: AskedWork['kind']
  readonly actor: string | null
  readonly createdAt: string
  readonly expiresAt: string
  readonly status: string
  readonly error: string | null
  readonly leaseUntil: string | null
}

interface AskedArgs {
  deviceId: string
  afterCreatedAt: string
  afterId: string
  limit: number
}

/** What was asked of a device, as a plan. */
export function createAskedPlans(db: Kysely<CloudTables>) {
  const newest = compileAsked(db, false)
  const older = compileAsked(db, true)
  return {
    *listAsked(deviceId: string, { limit, after }: PageRequest, now: string): Plan<Page<AskedWork>> {
      const rows = yield* all(after === undefined ? newest : older, {
        deviceId,
        afterCreatedAt: after?.createdAt ?? '',
        afterId: after?.id ?? '',
        limit: limit + 1,
      })
      return toPage(rows, limit, (row) => toAskedWork(row, now))
    },
  }
}

/** Each table is read off the end of its index by device, so the cost does not depend on how many rows there are. */
function compileAsked(db: Kysely<CloudTables>, isAfter: boolean) {
  return compileStatement<AskedArgs, AskedRow>('read', ({ deviceId, afterCreatedAt, afterId, limit }) => {
    const newestFirst = sql`order by created_at desc, id desc limit ${limitTo(limit)}`
    const part = (kind: AskedWork['kind'], table: 'searches' | 'uploads', leaseUntil: string) =>
      sql`select * from (select id, ${sql.lit(kind)} as kind, actor, created_at, expires_at, status, error,
          ${sql.raw(leaseUntil)} as lease_until from ${sql.table(table)}
        where device_id = ${deviceId} and (error is null or error <> ${sql.lit(quotaExceededError)})
          ${isAfter ? sql`and (created_at, id) < (${afterCreatedAt}, ${afterId})` : sql``}
        ${newestFirst}) as ${sql.table(`newest_${table}`)}`
    return {
      compile: () =>
        sql<AskedRow>`select id, kind, actor, created_at as "createdAt", expires_at as "expiresAt", status, error,
            lease_until as "leaseUntil"
          from (${part('search', 'searches', 'cast(null as text)')} union all ${part('upload', 'uploads', 'lease_until')})
            as asked ${newestFirst}`.compile(db),
    }
  })
}

/** A request as it stands at `now`. */
export function toAskedWork(row: AskedRow, now: string): AskedWork {
  const unanswered = whyUnanswered(row, now)
  const { id, kind, createdAt } = row
  return { id, kind, createdAt, ...actorOf(row), ...(unanswered && { unanswered }) }
}

function whyUnanswered(row: AskedRow, now: string): AskedWork['unanswered'] {
  const { status, error, expiresAt, leaseUntil } = row
  if (status === 'pending') return expiresAt <= now && !isLeaseHeld(leaseUntil, now) ? 'expired' : 'pending'
  if (error === canceledSearchError || error === canceledUploadError) return 'canceled'
  return error === expiredSearchError || error === expiredUploadError ? 'expired' : undefined
}

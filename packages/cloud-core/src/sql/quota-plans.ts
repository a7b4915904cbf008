import { type QuotaName, quotaExceededError } from '@homeward/contract/device-cloud'
import { type Kysely, sql } from 'kysely'
import { compileStatement, first } from '@homeward/kit/sql'
import type { CreateOutcome, IdempotencyRecord } from '../ports/idempotency-record.ts'
import type { CloudPlanParts } from './cloud-plans.ts'
import type { Plan } from './plan.ts'
import type { CloudTables } from './schema.ts'

interface UsageArgs {
  owner: string
  day: string
  now: string
}

/** The verbs of `QuotaStore` as plans. */
export function createQuotaPlans(
  db: Kysely<CloudTables>,
  { findRepeat }: Pick<CloudPlanParts, 'findRepeat'>,
) {
  const usage = compileUsage(db)
  return {
    *readUsage(
      owner: string,
      name: QuotaName,
      times: { readonly day: string; readonly now: string },
    ): Plan<number> {
      const row = yield* first(usage[name], { owner, day: times.day, now: times.now })
      return row?.used ?? 0
    },

    *findCreation(once: IdempotencyRecord): Plan<CreateOutcome | undefined> {
      return yield* findRepeat(once)
    },
  }
}

function compileUsage(db: Kysely<CloudTables>) {
  const usageOf = (build: (slots: UsageArgs) => ReturnType<typeof sql<{ used: number | null }>>) =>
    compileStatement<UsageArgs, { used: number | null }>('read', (slots) => ({
      compile: () => build(slots).compile(db),
    }))
  return {
    devices: usageOf(({ owner }) => sql`select count(*) as used from devices where owner = ${owner}`),
    pendingPerDevice: usageOf(
      ({ owner, now }) => sql`select max(counts.number) as used from (
        select count(*) as number from (
          select device_id from waiting_searches where owner = ${owner} and expires_at > ${now}
          union all
          select device_id from uploads where owner = ${owner} and status = 'pending' and expires_at > ${now}
        ) as work group by device_id
      ) as counts`,
    ),
    searchesPerDay: usageOf(
      ({ owner, day }) => sql`select count(*) as used from searches
        where owner = ${owner} and created_at >= ${day}
          and (error is null or error <> ${sql.lit(quotaExceededError)})`,
    ),
    storedBytes: usageOf(
      ({ owner }) => sql`select cast(sum(file_size) as bigint) as used from uploads where owner = ${owner}`,
    ),
  } satisfies Record<QuotaName, unknown>
}

import type { Kysely } from 'kysely'
import { type Step, emit } from '@homeward/kit/sql'
import type { DeferredSteps } from '@homeward/kit/postgres'
import type { NewJournalEvent } from '../ports/journal.ts'
import type { JournalPlans } from '../sql/journal/journal-plans.ts'
import { createJournalPlans, toJournalValues } from '../sql/journal/journal-plans.ts'
import type { Plan } from '../sql/plan.ts'
import type { RuntimeTables } from '../sql/schema.ts'

const insert = `insert into journal (type, run_id, timestamp, data)
  select * from unnest($1::text[], $2::text[], $3::text[], $4::text[])`

/**
 * The verbs of `Journal` as plans. Events that another plan adds are held back until its transaction ends: numbers are
 * given under a lock that lasts until then (see `migrations.ts`), so it had better be short.
 */
export function createPostgresJournalPlans(db: Kysely<RuntimeTables>): JournalPlans {
  const plans = createJournalPlans(db)
  return {
    ...plans,
    *addEvents(events) {
      if (events.length === 0) return
      yield toHeldBack(events)
      yield* emit({ topic: 'journal' })
    },
    *appendEvents(events): Plan<number> {
      if (events.length === 0) return yield* plans.lastEventSeq()
      const { parameterLists } = toHeldBack(events)
      const rows = yield {
        ...toJournalInsert(parameterLists),
        sql: `${insert} returning seq`,
        counts: false,
      }
      yield* emit({ topic: 'journal' })
      const last = rows.at(-1)
      return typeof last === 'object' && last !== null && 'seq' in last ? Number(last.seq) : 0
    },
  }
}

/** Events that other plans add go in with the commit, all in one step. */
export const heldBackEvents: DeferredSteps = {
  isDeferred: (step) => step.sql === insert,
  join: toJournalInsert,
}

function toJournalInsert(rows: readonly (readonly unknown[])[]): Step {
  const columns = [0, 1, 2, 3].map((column) => rows.map((row) => row[column]))
  return { kind: 'write', sql: insert, parameterLists: [columns], counts: true }
}

function toHeldBack(events: readonly NewJournalEvent[]): Step {
  return { kind: 'write', sql: insert, parameterLists: events.map(toJournalValues), counts: true }
}

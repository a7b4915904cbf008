import { sql } from 'kysely'
import type { SqlDialect } from '../sql/dialect.ts'
import type { RowLocks } from '../sql/row-locks.ts'
import { createTouchPlan } from './touch-plan.ts'

/** Transactions of Postgres are not alone: rows that a decision rests on are locked when they are read. */
const rowLocks: RowLocks = {
  toChange: (query) => query.forNoKeyUpdate(),
  toDelete: (query) => query.forUpdate(),
  whereFree: (query) => query.forUpdate().skipLocked(),
}

/** How Postgres does what databases do each in their own way. */
export const postgresDialect: SqlDialect = {
  locks: rowLocks,
  createTouch: (db) => createTouchPlan(db, sql`exists (select 1 from devices where devices.id = beats.id)`),
  contains: (column, part) => sql`strpos(${column}, ${part}) > 0`,
  anyOf: (ids) => sql`any(array(${ids}))`,
}

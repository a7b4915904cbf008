import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { compileStatement } from '@homeward/kit/sql'
import type { RuntimeTables } from '../schema.ts'
import type { TaskRow } from './task-row.ts'

// Each looks and changes in one statement: what shares its transaction may come between two.

/** What has not ended of a serial key, in the words of its small index. */
export function isOpenSerial(key: string | null) {
  return sql<boolean>`serial_key = ${key} and serial_key is not null and finished_at is null`
}

/** Statements that let tasks of a serial key go, one behind the other. */
export function createSerialStatements(db: Kysely<RuntimeTables>) {
  return {
    /** The first of those that are held up, unless one is under way. */
    freeNext: compileStatement<{ key: string; now: string }, Pick<TaskRow, 'lane' | 'ready'>>(
      'write',
      ({ key, now }) =>
        db
          .updateTable('tasks')
          .set({ ready: sql<number>`case when run_at <= ${now} then 1 else 0 end` })
          .where(
            'seq',
            '=',
            sql<number>`(select min(seq) from tasks where ${isOpenSerial(key)} and ready = 2)`,
          )
          .where(sql<boolean>`not exists (select 1 from tasks where ${isOpenSerial(key)} and ready < 2)`)
          .returning(['lane', 'ready']),
    ),
  }
}

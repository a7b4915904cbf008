import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import type { Plan } from './plan.ts'
import { all, each } from './plan.ts'
import { runSeq } from './run-statements.ts'
import type { RuntimeTables } from './schema.ts'
import { compileStatement } from './statement.ts'

/** How many old runs a write looks at: more than it can add, so that what piled up goes away too. */
const prunedAtOnce = 4

/** Plans that keep runs from growing without limit, a few rows at once. */
export function createPrunePlans(db: Kysely<RuntimeTables>) {
  const statements = createPruneStatements(db)
  return {
    /** Removes the steps of runs that ended before a time; the runs stay. */
    *pruneSteps(before: string): Plan<void> {
      const runs = yield* all(statements.findWithSteps, { before, limit: prunedAtOnce })
      yield* each(statements.deleteSteps, runs)
      yield* each(statements.markPruned, runs)
    },

    /** Removes runs that ended before a time, with their steps and approvals. */
    *pruneRuns(before: string): Plan<void> {
      yield* all(statements.deleteRuns, { before, limit: prunedAtOnce })
    },
  }
}

function createPruneStatements(db: Kysely<RuntimeTables>) {
  return {
    findWithSteps: compileStatement<{ before: string; limit: number }, { id: string }>(
      'read',
      ({ before, limit }) =>
        db
          .selectFrom('runs')
          .select('id')
          .where('has_steps', '=', sql.lit(1))
          .where('finished_at', '<', before)
          .limit(limit),
    ),
    deleteSteps: compileStatement<{ id: string }, unknown>('write', ({ id }) =>
      db.deleteFrom('run_steps').where('run_seq', '=', runSeq(db, id)),
    ),
    markPruned: compileStatement<{ id: string }, unknown>('write', ({ id }) =>
      db.updateTable('runs').set({ has_steps: 0 }).where('id', '=', id),
    ),
    deleteRuns: compileStatement<{ before: string; limit: number }, unknown>('write', ({ before, limit }) =>
      db
        .deleteFrom('runs')
        .where('id', 'in', (eb) =>
          eb.selectFrom('runs').select('id').where('finished_at', '<', before).limit(limit),
        ),
    ),
  }
}

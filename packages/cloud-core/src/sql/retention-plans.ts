import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { all, compileStatement, each, limitTo } from '@homeward/kit/sql'
import { leaseTimes } from '../uploads/lease-times.ts'
import type { CloudPlanParts } from './cloud-plans.ts'
import type { Plan } from './plan.ts'
import { compileBlobRemovals, toBlobIds, type FilesOfRow } from './removal-statements.ts'
import type { RowLocks } from './row-locks.ts'
import type { CloudTables } from './schema.ts'
import { resultsState } from './search-row.ts'
import { createSearchStatements } from './search-statements.ts'
import { createUploadStatements } from './upload-statements.ts'

interface OfGroup {
  readonly groupId: string | null
}

interface OldArgs {
  before: string
  limit: number
}

/** The verbs of `RetentionStore` that let old rows go, as plans. */
export function createRetentionPlans(db: Kysely<CloudTables>, { dialect }: CloudPlanParts) {
  const { locks } = dialect
  const statements = createPruneStatements(db, locks)
  const searches = createSearchStatements(db, locks)
  const uploads = createUploadStatements(db, locks)
  const removals = compileBlobRemovals(db)
  const states = [resultsState.gone, resultsState.none, resultsState.held]
  const deleteSearches = states.map((state) => compileDeleteSearches(db, locks, state))

  /** A group goes with the last of its rows. */
  function* removeEmptyGroups(rows: readonly OfGroup[]): Plan<void> {
    const ids = [...new Set(rows.map(({ groupId }) => groupId).filter((id) => id !== null))]
    if (ids.length === 0) return
    yield* each(
      statements.deleteEmptyGroup,
      ids.map((groupId) => ({ groupId })),
    )
  }

  return {
    *pruneResults(before: string, limit: number): Plan<number> {
      const rows = yield* all(statements.findResults, { before, limit })
      if (rows.length === 0) return 0
      yield* each(statements.clearResults, rows)
      yield* removals.note(toBlobIds(rows))
      return rows.length
    },

    *pruneSearches(before: string, limit: number): Plan<number> {
      // those that nobody reported have not been written down as failed yet, perhaps
      const expired = yield* all(searches.findExpired, { now: before, limit })
      if (expired.length > 0) yield* each(searches.expire, expired)
      let removed = 0
      for (const statement of deleteSearches) {
        if (removed >= limit) break
        const rows = yield* all(statement, { before, limit: limit - removed })
        yield* removals.note(toBlobIds(rows))
        yield* removeEmptyGroups(rows)
        removed += rows.length
      }
      return removed
    },

    *pruneUploads(before: string, limit: number): Plan<number> {
      const expired = yield* all(uploads.findExpired, { ...leaseTimes(before), limit })
      if (expired.length > 0) yield* each(uploads.expire, expired)
      const rows = yield* all(statements.deleteUploads, { before, limit })
      yield* removals.note(toBlobIds(rows))
      yield* removeEmptyGroups(rows)
      return rows.length
    },
  }
}

/**
 * Rows are chosen before the first is deleted: Postgres may run a subquery again for each row that it looks at, passes over
 * those that it has just deleted, and so deletes more than the limit.
 *
 * One state of results at a time: each range is read off the end of the index. That is in the order of creation, because a
 * report would have to write an index on its own time. Those that were open at `before` are passed over.
 */
function compileDeleteSearches(db: Kysely<CloudTables>, locks: RowLocks, state: number) {
  return compileStatement<OldArgs, FilesOfRow & OfGroup>('write', ({ before, limit }) =>
    db
      .with(
        (cte) => cte('chosen').materialized(),
        (chosen) =>
          locks.whereFree(
            chosen
              .selectFrom('searches')
              .select('id')
              .where('results_state', '=', sql.lit(state))
              .where('created_at', '<', before)
              .where('completed_at', '<', before)
              .orderBy('created_at')
              .limit(limitTo(limit)),
          ),
      )
      .deleteFrom('searches')
      .where('id', 'in', (eb) => eb.selectFrom('chosen').select('id'))
      .returning(['results_blob_id as resultsBlobId', 'group_id as groupId']),
  )
}

function createPruneStatements(db: Kysely<CloudTables>, locks: RowLocks) {
  return {
    findResults: compileStatement<OldArgs, { id: string } & FilesOfRow>('read', ({ before, limit }) =>
      locks.whereFree(
        db
          .selectFrom('searches')
          .select(['id', 'results_blob_id as resultsBlobId'])
          .where('results_state', '=', sql.lit(resultsState.held))
          .where('created_at', '<', before)
          .where('completed_at', '<', before)
          .orderBy('created_at')
          .limit(limitTo(limit)),
      ),
    ),
    clearResults: compileStatement<{ id: string }, unknown>('write', ({ id }) =>
      db
        .updateTable('searches')
        .set({ results: null, results_blob_id: null, results_state: sql.lit(resultsState.gone) })
        .where('id', '=', id),
    ),
    deleteEmptyGroup: compileStatement<{ groupId: string }, unknown>('write', ({ groupId }) =>
      db
        .deleteFrom('work_groups')
        .where('id', '=', groupId)
        .where('unmade', '=', sql.lit(0))
        .where(({ not, exists, selectFrom }) =>
          not(exists(selectFrom('searches').select('id').where('group_id', '=', groupId))),
        )
        .where(({ not, exists, selectFrom }) =>
          not(exists(selectFrom('uploads').select('id').where('group_id', '=', groupId))),
        ),
    ),
    deleteUploads: compileStatement<OldArgs, FilesOfRow & OfGroup>('write', ({ before, limit }) =>
      db
        .with(
          (cte) => cte('chosen').materialized(),
          (chosen) =>
            locks.whereFree(
              chosen
                .selectFrom('uploads')
                .select('id')
                .where('completed_at', '<', before)
                .orderBy('completed_at')
                .limit(limitTo(limit)),
            ),
        )
        .deleteFrom('uploads')
        .where('id', 'in', (eb) => eb.selectFrom('chosen').select('id'))
        .returning(['attempt_blob_id as attemptBlobId', 'file_blob_id as fileBlobId', 'group_id as groupId']),
    ),
  }
}

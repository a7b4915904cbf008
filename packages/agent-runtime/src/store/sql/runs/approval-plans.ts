import type { Kysely, Selectable } from 'kysely'
import { all, compileStatement, each, first, type Statement, tell } from '@homeward/kit/sql'
import type { ApprovalOutcome, ApprovalVerdict, StoredApproval } from '../../ports/approval.ts'
import type { JournalPlans } from '../journal/journal-plans.ts'
import type { Plan } from '../plan.ts'
import { endedBeforeDecision, toApproval, toApprovalRow } from './run-row.ts'
import type { ApprovalsTable, RuntimeTables } from '../schema.ts'
import { rememberStatements } from '../remember-statements.ts'
import { places, toGroups } from '../to-groups.ts'

type DecideArgs = {
  runId: string
  id: string
  status: 'approved' | 'denied'
  reason: string | null
  decidedAt: string
}

/** The verbs on approvals as plans. */
export function createApprovalPlans(db: Kysely<RuntimeTables>, { addEvents }: JournalPlans) {
  const statements = { ...createReads(db), ...createWrites(db) }
  const listOf = rememberStatements(({ count }: { readonly count: number }) => compileList(db, count))
  return {
    *decideApproval(verdict: ApprovalVerdict): Plan<ApprovalOutcome> {
      const { runId, approvalId: id, status, reason = null, decidedAt, journal } = verdict
      const decided = yield* first(statements.decide, { runId, id, status, reason, decidedAt })
      if (decided === undefined) {
        const row = yield* first(statements.find, { runId, id })
        return row === undefined ? { outcome: 'unknown' } : { outcome: 'already', approval: toApproval(row) }
      }
      yield* addEvents(journal)
      const open = (yield* first(statements.countOpen, { runId }))?.open ?? 0
      yield* tell({ topic: 'run', runId })
      return { outcome: 'decided', approval: toApproval(decided), open }
    },

    *listApprovals(runIds: readonly string[]): Plan<StoredApproval[]> {
      const rows: Selectable<ApprovalsTable>[] = []
      for (const ids of toGroups(runIds)) rows.push(...(yield* all(listOf({ count: ids.length }), ids)))
      return rows.map(toApproval)
    },

    /** Adds approvals that wait. */
    *insertApprovals(approvals: readonly StoredApproval[]): Plan<void> {
      yield* each(statements.insert, approvals.map(toApprovalRow))
    },

    /** Denies what still waits, because the run has ended. */
    *closeApprovals(runId: string, decidedAt: string): Plan<void> {
      yield* all(statements.close, { runId, decidedAt })
    },
  }
}

/** See {@link createApprovalPlans}. */
export type ApprovalPlans = ReturnType<typeof createApprovalPlans>

/** Approvals of so many runs. */
function compileList(
  db: Kysely<RuntimeTables>,
  count: number,
): Statement<readonly string[], Selectable<ApprovalsTable>> {
  const query = db.selectFrom('approvals').selectAll().where('run_id', 'in', places(count)).orderBy('seq')
  return { kind: 'read', sql: query.compile().sql, bind: (ids) => ids }
}

function createReads(db: Kysely<RuntimeTables>) {
  return {
    find: compileStatement<{ runId: string; id: string }, Selectable<ApprovalsTable>>(
      'read',
      ({ runId, id }) =>
        db.selectFrom('approvals').selectAll().where('run_id', '=', runId).where('id', '=', id),
    ),
    countOpen: compileStatement<{ runId: string }, { open: number }>('read', ({ runId }) =>
      db
        .selectFrom('approvals')
        .select((eb) => eb.fn.countAll<number>().as('open'))
        .where('run_id', '=', runId)
        .where('status', '=', 'pending'),
    ),
  }
}

function createWrites(db: Kysely<RuntimeTables>) {
  return {
    insert: compileStatement<Omit<Selectable<ApprovalsTable>, 'seq'>, unknown>('write', (row) =>
      db.insertInto('approvals').values({
        run_id: row.run_id,
        id: row.id,
        call_id: row.call_id,
        tool: row.tool,
        args: row.args,
        status: row.status,
        reason: row.reason,
        created_at: row.created_at,
        decided_at: row.decided_at,
      }),
    ),
    decide: compileStatement<DecideArgs, Selectable<ApprovalsTable>>('write', (args) =>
      db
        .updateTable('approvals')
        .set({ status: args.status, reason: args.reason, decided_at: args.decidedAt })
        .where('run_id', '=', args.runId)
        .where('id', '=', args.id)
        .where('status', '=', 'pending')
        .returningAll(),
    ),
    close: compileStatement<{ runId: string; decidedAt: string }, unknown>('write', ({ runId, decidedAt }) =>
      db
        .updateTable('approvals')
        .set({ ...endedBeforeDecision, decided_at: decidedAt })
        .where('run_id', '=', runId)
        .where('status', '=', 'pending'),
    ),
  }
}

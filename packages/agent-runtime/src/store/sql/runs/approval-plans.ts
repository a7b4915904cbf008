import type { Kysely, Selectable } from 'kysely'
import { sql } from 'kysely'
import { all, compileStatement, each, first, type Statement, emit } from '@homeward/kit/sql'
import type {
  ApprovalOutcome,
  ApprovalVerdict,
  DecidedStatus,
  DueApprovals,
  StoredApproval,
} from '../../ports/approval.ts'
import type { JournalPlans } from '../journal/journal-plans.ts'
import type { Plan } from '../plan.ts'
import { createRememberedPlans } from './remembered-plans.ts'
import { endedBeforeDecision, toApproval, toApprovalRow } from './run-row.ts'
import type { ApprovalsTable, RuntimeTables } from '../schema.ts'
import { rememberStatements } from '../remember-statements.ts'
import { places, toGroups } from '../to-groups.ts'

type DecideArgs = {
  runId: string
  id: string
  status: DecidedStatus
  editedArgs: string | null
  reason: string | null
  response: string | null
  decidedAt: string
  decidedBy: string | null
}

/** The verbs on approvals as plans. */
export function createApprovalPlans(db: Kysely<RuntimeTables>, { addEvents }: JournalPlans) {
  const remembered = createRememberedPlans(db)
  const { rememberCall: _, ...verbs } = remembered
  const statements = { ...createReads(db), ...createWrites(db) }
  const listOf = rememberStatements(({ count }: { readonly count: number }) => compileList(db, count))
  return {
    ...verbs,
    *decideApproval(verdict: ApprovalVerdict): Plan<ApprovalOutcome> {
      const { runId, approvalId: id, remember, journal } = verdict
      const decided = yield* first(statements.decide, toDecideArgs(verdict))
      if (decided === undefined) {
        const row = yield* first(statements.find, { runId, id })
        return row === undefined ? { outcome: 'unknown' } : { outcome: 'already', approval: toApproval(row) }
      }
      if (remember) yield* remembered.rememberCall(remember)
      yield* addEvents(journal)
      const open = (yield* first(statements.countOpen, { runId }))?.open ?? 0
      yield* emit({ topic: 'run', runId })
      return { outcome: 'decided', approval: toApproval(decided), open }
    },

    *listApprovals(runIds: readonly string[]): Plan<StoredApproval[]> {
      const rows: Selectable<ApprovalsTable>[] = []
      for (const ids of toGroups(runIds)) rows.push(...(yield* all(listOf({ count: ids.length }), ids)))
      return rows.map(toApproval)
    },

    *listDueApprovals(now: string, limit: number): Plan<DueApprovals> {
      const rows = yield* all(statements.listWaiting, { limit: limit + 1 })
      const isDue = ({ expires_at: at }: Selectable<ApprovalsTable>) => at !== null && at <= now
      const due = rows.filter(isDue).slice(0, limit)
      const next = rows[due.length]?.expires_at
      return { due: due.map(toApproval), ...(typeof next === 'string' && { nextAt: next }) }
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

function toDecideArgs(verdict: ApprovalVerdict): DecideArgs {
  const { runId, approvalId: id, status, editedArgs, reason = null, response = null } = verdict
  const { decidedAt, decidedBy = null } = verdict
  const edited = editedArgs === undefined ? null : JSON.stringify(editedArgs)
  return { runId, id, status, editedArgs: edited, reason, response, decidedAt, decidedBy }
}

function createReads(db: Kysely<RuntimeTables>) {
  return {
    listWaiting: compileStatement<{ limit: number }, Selectable<ApprovalsTable>>('read', ({ limit }) =>
      db
        .selectFrom('approvals')
        .selectAll()
        .where('status', '=', sql.lit('pending'))
        .where('expires_at', 'is not', null)
        .orderBy('expires_at')
        .orderBy('seq')
        .limit(limit),
    ),
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
        call_hash: row.call_hash,
        status: row.status,
        expires_at: row.expires_at,
        edited_args: row.edited_args,
        reason: row.reason,
        response: row.response,
        created_at: row.created_at,
        decided_at: row.decided_at,
        decided_by: row.decided_by,
        announced: row.announced,
      }),
    ),
    decide: compileStatement<DecideArgs, Selectable<ApprovalsTable>>('write', (args) =>
      db
        .updateTable('approvals')
        .set({
          status: args.status,
          edited_args: args.editedArgs,
          reason: args.reason,
          response: args.response,
          decided_at: args.decidedAt,
          decided_by: args.decidedBy,
        })
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

import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { all, buildOnce, compileStatement, each, first } from '@homeward/kit/sql'
import type { RetentionLimits } from '../../ports/retention.ts'
import type { AuditPlans } from '../access/audit-plans.ts'
import type { BudgetPlans, PrunedRun } from '../usage/budget-plans.ts'
import type { ChannelPlans } from '../channels/channel-plans.ts'
import type { JournalPlans } from './journal-plans.ts'
import type { FilePlans } from '../files/file-plans.ts'
import type { Plan } from '../plan.ts'
import type { RunWords } from '../runs/run-row.ts'
import { isStepOf } from '../runs/run-statements.ts'
import type { RuntimeTables } from '../schema.ts'

// Limits are literals: of a parameter Postgres would fear the worst, and read whole tables.
/** How many old runs one write removes at the most. */
const prunedAtOnce = 16
/** How many old tasks. */
const tasksAtOnce = 128

/** Later than any time. */
const endOfTime = '~'

interface EndedRun extends PrunedRun {
  readonly finishedAt: string
}

/** The verb of `Retention` as a plan: a bounded number of rows at once. */
export function createPrunePlans(
  db: Kysely<RuntimeTables>,
  parts: Pick<JournalPlans, 'pruneJournal'> &
    Pick<AuditPlans, 'pruneAudit'> &
    Pick<ChannelPlans, 'pruneChannelMessages' | 'pruneChats'> &
    Pick<BudgetPlans, 'pruneRunBudgets' | 'prunePeriods'> &
    Pick<FilePlans, 'deleteFilesOf'> &
    Pick<RunWords, 'removeRunWords'>,
) {
  const statements = buildOnce(db, createPruneStatements)

  /** Removes the steps of runs that ended before a time; the runs stay. */
  function* pruneSteps(before: string): Plan<boolean> {
    const runs = yield* all(statements.findWithSteps, { before })
    if (runs.length === 0) return false
    yield* each(statements.deleteSteps, runs)
    yield* parts.pruneRunBudgets(runs)
    yield* each(statements.markPruned, runs)
    return runs.length === prunedAtOnce
  }

  /** Removes runs, with their approvals and files. */
  function* deleteRuns(runs: readonly EndedRun[]): Plan<void> {
    for (const { id } of runs) yield* parts.removeRunWords(id)
    yield* each(statements.deleteRun, runs)
    yield* parts.deleteFilesOf(runs.map(({ id }) => ({ kind: 'run', id })))
  }

  /** Removes runs that ended before a time, with their steps and approvals. */
  function* pruneRuns(before: string): Plan<boolean> {
    const whole = yield* all(statements.findWithSteps, { before })
    const bare = yield* all(statements.findWithoutSteps, { before })
    yield* each(statements.deleteSteps, whole)
    yield* parts.pruneRunBudgets([...whole, ...bare])
    yield* deleteRuns([...whole, ...bare])
    return whole.length === prunedAtOnce || bare.length === prunedAtOnce
  }

  /** Removes the runs that ended first, until so many are left. */
  function* pruneSurplus(kept: number): Plan<boolean> {
    const ended = (yield* first(statements.countEnded, {}))?.ended ?? 0
    const wanted = Math.min(ended - kept, prunedAtOnce)
    if (wanted <= 0) return false
    const oldest = [
      ...(yield* all(statements.findWithSteps, { before: endOfTime })),
      ...(yield* all(statements.findWithoutSteps, { before: endOfTime })),
    ].toSorted((a, b) => (a.finishedAt < b.finishedAt ? -1 : 1))
    const runs = oldest.slice(0, wanted)
    yield* each(statements.deleteSteps, runs)
    yield* parts.pruneRunBudgets(runs)
    yield* deleteRuns(runs)
    return ended - wanted > kept
  }

  /** Removes tasks that ended before a time. */
  function* pruneTasks(before: string): Plan<boolean> {
    const removed = yield* all(statements.deleteTasks, { before })
    yield* parts.deleteFilesOf(removed.map(({ id }) => ({ kind: 'task', id })))
    return removed.length === tasksAtOnce
  }

  return {
    *prune(limits: RetentionLimits): Plan<boolean> {
      const { runsBefore, endedRuns, runStepsBefore, tasksBefore } = limits
      const moreRuns = runsBefore !== undefined && (yield* pruneRuns(runsBefore))
      const moreSurplus = endedRuns !== undefined && (yield* pruneSurplus(endedRuns))
      const moreMessages = runsBefore !== undefined && (yield* parts.pruneChannelMessages(runsBefore))
      const moreChats = yield* parts.pruneChats()
      const moreSteps = runStepsBefore !== undefined && (yield* pruneSteps(runStepsBefore))
      const moreBudgets = runStepsBefore !== undefined && (yield* parts.prunePeriods(runStepsBefore))
      const moreTasks = tasksBefore !== undefined && (yield* pruneTasks(tasksBefore))
      const moreAudit = yield* parts.pruneAudit(limits)
      const moreEvents = yield* parts.pruneJournal(limits)
      return (
        moreRuns ||
        moreSurplus ||
        moreMessages ||
        moreChats ||
        moreSteps ||
        moreBudgets ||
        moreTasks ||
        moreAudit ||
        moreEvents
      )
    },
  }
}

function createPruneStatements(db: Kysely<RuntimeTables>) {
  const findEnded = ({ before }: { before: string }) =>
    db
      .selectFrom('runs')
      .select(['id', 'parent_run_id as parentId', sql<string>`finished_at`.as('finishedAt')])
      .where('finished_at', 'is not', null)
      .where('finished_at', '<', before)
      .orderBy('finished_at') // which leads to the index, however many rows have no steps any more
      .limit(sql.lit(prunedAtOnce))
  const countOf = (hasSteps: number) =>
    db
      .selectFrom('runs')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('finished_at', 'is not', null)
      .where('has_steps', '=', sql.lit(hasSteps))
  return {
    /** Each half off an index of its own. */
    countEnded: compileStatement<object, { ended: number }>('read', () =>
      db.selectNoFrom(sql<number>`(${countOf(0)}) + (${countOf(1)})`.as('ended')),
    ),
    findWithSteps: compileStatement<{ before: string }, EndedRun>('read', (args) =>
      findEnded(args).where('has_steps', '=', sql.lit(1)),
    ),
    findWithoutSteps: compileStatement<{ before: string }, EndedRun>('read', (args) =>
      findEnded(args).where('has_steps', '=', sql.lit(0)),
    ),
    deleteSteps: compileStatement<{ id: string }, unknown>('write', ({ id }) =>
      db.deleteFrom('run_steps').where(isStepOf(db, id)),
    ),
    markPruned: compileStatement<{ id: string }, unknown>('write', ({ id }) =>
      db.updateTable('runs').set({ has_steps: 0 }).where('id', '=', id),
    ),
    deleteTasks: compileStatement<{ before: string }, { id: string }>('write', ({ before }) =>
      db
        .deleteFrom('tasks')
        .where(
          'seq',
          'in',
          sql<number>`(select seq from tasks where finished_at is not null and finished_at < ${before}
            order by finished_at limit ${sql.lit(tasksAtOnce)})`,
        )
        // Once more, of the row itself: meanwhile it may have been put into the queue again.
        .where('finished_at', '<', before)
        .returning('id'),
    ),
    deleteRun: compileStatement<{ id: string }, unknown>('write', ({ id }) =>
      db.deleteFrom('runs').where('id', '=', id),
    ),
  }
}

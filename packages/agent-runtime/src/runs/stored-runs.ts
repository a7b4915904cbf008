import type { ApprovalDecision, Run, RunResult } from '@homeward/contract/agent-platform'
import type { RunStatus } from '@homeward/contract/agent-platform'
import type { StoredApproval, StoredRun } from '../ports/run-store.ts'
import { RuntimeError } from '../runtime-error.ts'
import { createRunRecord, openCalls, type RunRecordInput } from './active-run.ts'
import type { ArgumentChecks } from './check-arguments.ts'
import { cancelled } from './drive-run.ts'
import { createEventLog } from './event-log.ts'
import type { LiveRuns } from './live-runs.ts'
import { continueRun } from './continue-run.ts'
import { refuseCalls } from './run-calls.ts'
import type { RunWatchers } from './run-watchers.ts'
import type { RunsContext } from './runs-options.ts'
import { saveFinish, toApproval } from './save-run.ts'

/** What {@link createStoredRuns} works with. */
export interface StoredRunsOptions {
  readonly context: RunsContext
  readonly live: LiveRuns
  readonly watchers: RunWatchers
  readonly checks: ArgumentChecks
  /** Aborts when the runtime closes. */
  readonly closing: AbortSignal
}

/** Runs that are not under way here: they wait, have ended, or were cut off by a crash. */
export type StoredRuns = ReturnType<typeof createStoredRuns>

/** Live readers may have seen events of a crashed run that were never kept: its numbers go on far behind them. */
const crashGap = 1_000_000

export function createStoredRuns({ context, live, watchers, checks, closing }: StoredRunsOptions) {
  const { store } = context
  let recovered: Promise<void> | undefined

  async function find(id: string): Promise<Run | undefined> {
    const run = await store.findRun(id)
    return run && toRun(run, await store.listApprovals(id))
  }

  /** Ends a run that nobody works on. */
  async function end(
    run: StoredRun,
    stop: 'cancelled' | 'error',
    error: RuntimeError,
    gap = 0,
  ): Promise<void> {
    const record = createRunRecord(await loadRecord(context, watchers, run, gap))
    refuseCalls(context, record, openCalls(record.messages), 'Not called: the run ended before')
    await saveFinish(context, record, { stop, error })
    watchers.ring(run.id)
  }

  async function cancelWaiting(id: string): Promise<void> {
    const run = await store.findRun(id)
    // It may have gone on while it was looked up.
    const own = live.get(id)
    if (own) {
      own.controller.abort(cancelled())
      await own.result
    } else if (run?.status === 'waiting') await end(run, 'cancelled', cancelled())
  }

  /** Lets a run go on whose approvals are all decided. Does nothing when somebody else does. */
  function resume(runId: string): void {
    if (closing.aborted || live.get(runId)) return
    const own = live.take(runId)
    own.go(async (): Promise<RunResult | undefined> => {
      if (!(await store.resumeRun(runId))) return undefined
      const run = await store.findRun(runId)
      if (!run) return undefined
      try {
        const record = await loadRecord(context, watchers, run, 0)
        own.log = record.log
        return await continueRun(context, checks, record, own.controller)
      } catch (cause) {
        context.logger.error('A run could not go on', { runId, error: String(cause) })
        const isKnown = RuntimeError.is(cause)
        const error = isKnown
          ? cause
          : new RuntimeError('run_error', 'Going on with a run: it failed', { cause })
        await end(run, 'error', error)
        return (await store.findRun(runId))?.result
      }
    })
  }

  async function recoverAll(): Promise<void> {
    for (const run of await listAll(context, 'running')) {
      if (live.get(run.id)) continue
      const error = new RuntimeError(
        'run_error',
        'Running the agent: the platform stopped before the run had ended',
      )
      await end(run, 'error', error, crashGap)
    }
    for (const { id } of await listAll(context, 'waiting')) {
      const approvals = await store.listApprovals(id)
      if (approvals.every(({ status }) => status !== 'pending')) resume(id)
    }
  }

  return {
    find,
    cancelWaiting,
    /** Decides once; the last decision of a run lets it go on. */
    async decide(runId: string, approvalId: string, decision: ApprovalDecision): Promise<StoredApproval> {
      const { approval, open } = await decideApproval(context, runId, approvalId, decision)
      if (open === 0) resume(runId)
      return approval
    },
    /** Settles what a crash left behind, once; again when it failed. */
    recover: () =>
      (recovered ??= recoverAll().catch((error: unknown) => {
        recovered = undefined
        throw error
      })),
  }
}

async function decideApproval(
  { store, timestamp }: RunsContext,
  runId: string,
  approvalId: string,
  { decision, reason }: ApprovalDecision,
): Promise<{ readonly approval: StoredApproval; readonly open: number }> {
  const attempt = 'Deciding about a tool call'
  const run = await store.findRun(runId)
  if (!run) throw new RuntimeError('not_found', `${attempt}: there is no run with this id`)
  const status = decision === 'approve' ? 'approved' : 'denied'
  const decidedAt = timestamp()
  const data = { agent_id: run.agentId, approval_id: approvalId, status }
  const outcome = await store.decideApproval({
    runId,
    approvalId,
    status,
    decidedAt,
    ...(reason !== undefined && { reason }),
    journal: [{ type: 'approval.resolved', timestamp: decidedAt, runId, data }],
  })
  if (outcome.outcome === 'decided') return outcome
  if (outcome.outcome === 'already') throw new RuntimeError('conflict', `${attempt}: it was decided before`)
  throw new RuntimeError('not_found', `${attempt}: the run has no approval with this id`)
}

async function listAll({ store }: RunsContext, status: RunStatus): Promise<StoredRun[]> {
  const found: StoredRun[] = []
  let cursor: string | undefined
  do {
    const page = await store.listRuns({ status }, { limit: 100, cursor })
    found.push(...page.rows)
    cursor = page.nextCursor
  } while (cursor !== undefined)
  return found
}

/** A stored run as far as it is, with a log that goes on behind its last event. */
async function loadRecord(
  context: RunsContext,
  watchers: RunWatchers,
  run: StoredRun,
  gap: number,
): Promise<RunRecordInput> {
  const messages = await context.store.listRunMessages(run.id)
  const batches = await context.store.listRunEvents(run.id, 0)
  const last = batches.at(-1)
  const nextSeq = last ? last.firstSeq + last.events.length : 1
  return {
    run,
    messages,
    progress: run.progress,
    model: run.model,
    log: createEventLog(nextSeq + gap, () => watchers.ring(run.id)),
    redact: await context.redactor(),
    startedAtMs: context.now(),
  }
}

function toRun(run: StoredRun, approvals: readonly StoredApproval[]): Run {
  return {
    id: run.id,
    agent_id: run.agentId,
    conversation_id: run.conversationId,
    task: run.task,
    status: run.status,
    created_at: run.createdAt,
    ...(run.finishedAt !== undefined && { finished_at: run.finishedAt }),
    ...(run.result && { result: run.result }),
    approvals: approvals.map(toApproval),
  }
}

import type { Approval, Run } from '@homeward/contract/agent-platform'
import { boundedLimit } from '../paging/bounded-limit.ts'
import { readPage } from '../paging/read-page.ts'
import type { StoredRun } from '../ports/run-store.ts'
import type { RunPage, RunQuery } from './runs.ts'
import type { RunsContext } from './runs-options.ts'
import { toApproval } from './save-run.ts'

/** Runs below one another that are looked through for approvals. */
const maxDepth = 8

/** A run as clients see it, with what it waits for: also what the runs below it ask people. */
export async function findRun(context: RunsContext, id: string): Promise<Run | undefined> {
  const run = await context.store.findRun(id)
  return run && describe(context, run)
}

/** Runs as clients see them, newest first. */
export async function listRuns(
  context: RunsContext,
  { limit = 100, cursor, ...filter }: RunQuery,
  signal?: AbortSignal,
): Promise<RunPage> {
  const page = { limit: boundedLimit(limit, 500), cursor }
  const { rows, nextCursor } = await readPage(page, (part) => context.store.listRuns(filter, part, signal))
  const runs = await Promise.all(rows.map((run) => describe(context, run)))
  return { runs, ...(nextCursor !== undefined && { nextCursor }) }
}

const describe = async (context: RunsContext, run: StoredRun): Promise<Run> =>
  toRun(run, await listApprovals(context, run))

async function listApprovals({ store }: RunsContext, run: StoredRun): Promise<Approval[]> {
  const approvals = (await store.listApprovals(run.id)).map(toApproval)
  if (run.status !== 'waiting') return approvals
  for await (const child of waitingBelow(store, run.id)) {
    for (const approval of await store.listApprovals(child.id)) {
      if (approval.status === 'pending') approvals.push(toApproval(approval))
    }
  }
  return approvals
}

/** Runs that a run has asked for, directly or not, and that wait. */
export async function* waitingBelow(
  store: RunsContext['store'],
  runId: string,
  depth = 0,
): AsyncGenerator<StoredRun> {
  if (depth >= maxDepth) return
  for await (const child of childrenOf(store, runId, 'waiting')) {
    yield child
    yield* waitingBelow(store, child.id, depth + 1)
  }
}

/** Runs that a run has asked for itself. */
export async function* childrenOf(
  store: RunsContext['store'],
  parentRunId: string,
  status?: StoredRun['status'],
): AsyncGenerator<StoredRun> {
  let cursor: string | undefined
  do {
    const page = await store.listRuns({ parentRunId, status }, { limit: 100, cursor })
    yield* page.rows
    cursor = page.nextCursor
  } while (cursor !== undefined)
}

function toRun(run: StoredRun, approvals: Approval[]): Run {
  const { id, task, status, createdAt, finishedAt, result, parentRunId } = run
  return {
    id,
    ...(run.kind === 'agent'
      ? { agent_id: run.agentId, conversation_id: run.conversationId }
      : { graph_id: run.graph.id }),
    ...(parentRunId !== undefined && { parent_run_id: parentRunId }),
    task,
    status,
    created_at: createdAt,
    ...(finishedAt !== undefined && { finished_at: finishedAt }),
    ...(result && { result }),
    approvals,
  }
}

import type { Run } from '@homeward/contract/agent-platform'
import { boundedLimit } from '../paging/bounded-limit.ts'
import { readPage } from '../paging/read-page.ts'
import type { StoredWait } from '../store/ports/wait.ts'
import { RuntimeError } from '../ports/runtime-error.ts'
import { shownId } from '../store/own-conversation.ts'
import type { RunStore, StoredRun } from '../store/ports/run-store.ts'
import type { RunCounts, RunPage, RunQuery } from './runs.ts'
import type { RunsContext } from './runs-options.ts'
import { toCost } from './cost.ts'
import { toApprovals, toWait } from '../store/wait-view.ts'

/** Runs below one another that are looked through for waits. */
const maxDepth = 8

/** A run as clients see it, with what it waits for: also what the runs below it wait for. */
export async function findRun(context: RunsContext, id: string): Promise<Run | undefined> {
  const run = await context.store.findRun(id)
  return run && (await describe(context, [run]))[0]
}

/** Runs as clients see them, newest first. */
export async function listRuns(
  context: RunsContext,
  { limit = 100, cursor, ...query }: RunQuery,
  signal?: AbortSignal,
): Promise<RunPage> {
  const filter = toFilter(query)
  const page = { limit: boundedLimit(limit, 500), cursor }
  const { rows, nextCursor } = await readPage('runs', page, (part) =>
    context.store.listRuns(filter, part, signal),
  )
  const runs = await describe(context, rows)
  return { runs, ...(nextCursor !== undefined && { nextCursor }) }
}

/** How many runs of each source match. */
export async function countRunsBySource(
  { store }: RunsContext,
  query: RunQuery,
  signal?: AbortSignal,
): Promise<RunCounts> {
  return store.countRunSources(toFilter(query), signal)
}

/** A query as the store filters by it. */
export function toFilter({ minCost, from, to, limit: _limit, cursor: _cursor, ...query }: RunQuery) {
  return {
    ...query,
    ...(from !== undefined && { from: toTime(from) }),
    ...(to !== undefined && { to: toTime(to) }),
    ...(minCost !== undefined && { minMicroUsd: Math.round(minCost * 1_000_000) }),
  }
}

/** As times are stored: in UTC with milliseconds. */
function toTime(text: string): string {
  const ms = Date.parse(text)
  if (Number.isNaN(ms))
    throw new RuntimeError(
      'validation_error',
      'Listing runs failed: "from" and "to" must be ISO 8601 times. Use a time such as 2026-11-01T00:00:00Z.',
    )
  return new Date(ms).toISOString()
}

/** Waits of all of them are read at once. */
async function describe({ store, now }: RunsContext, runs: readonly StoredRun[]): Promise<Run[]> {
  const ids = runs.map(({ id }) => id)
  const inputs = Map.groupBy(await store.listRunInputs(ids), ({ runId }) => runId)
  const byRun = Map.groupBy(await store.listWaitsOf(ids), ({ runId }) => runId)
  return Promise.all(
    runs.map(async (run) => {
      const own = byRun.get(run.id) ?? []
      const below = waitsBelow(run, own) ? await listOpenBelow(store, run.id) : []
      const messages = inputs.get(run.id)?.map(({ id, mode, text }) => ({ id, mode, text }))
      return { ...toRun(run, [...own, ...below], now()), ...(messages && { messages }) }
    }),
  )
}

/** Whether a run may wait for runs that it has asked for. */
function waitsBelow({ kind, status, progress: { asked = [] } }: StoredRun, own: readonly StoredWait[]) {
  if (status !== 'waiting') return false
  const ids = new Set(own.map(({ id }) => id))
  return kind === 'graph' || asked.length === 0 || asked.some((id) => !ids.has(id))
}

async function listOpenBelow(store: RunsContext['store'], runId: string): Promise<StoredWait[]> {
  const below = await Array.fromAsync(waitingBelow(store, runId), ({ id }) => id)
  if (below.length === 0) return []
  const waits = Map.groupBy(await store.listWaitsOf(below), ({ runId: id }) => id)
  return below.flatMap((id) => waits.get(id) ?? []).filter(({ status }) => status === 'open')
}

/** Runs that a run has asked for, directly or not, and that wait. */
async function* waitingBelow(
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

/** Runs that a run has asked for itself, and waits for. */
export async function* childrenOf(
  store: Pick<RunStore, 'listRuns'>,
  parentRunId: string,
  status?: StoredRun['status'],
): AsyncGenerator<StoredRun> {
  let cursor: string | undefined
  do {
    const page = await store.listRuns({ parentRunId, status }, { limit: 100, cursor })
    yield* page.rows.filter(({ background }) => !background)
    cursor = page.nextCursor
  } while (cursor !== undefined)
}

function toRun(run: StoredRun, waits: readonly StoredWait[], nowMs: number): Run {
  const { id, task, source, progress, status, createdAt, finishedAt, result, parentRunId, userId, metadata } =
    run
  return {
    id,
    ...(run.kind === 'agent'
      ? {
          agent_id: run.agentId,
          ...(run.agentVersion !== undefined && { agent_version: run.agentVersion }),
          conversation_id: shownId(run.conversationId),
        }
      : { graph_id: run.graph.id }),
    ...(parentRunId !== undefined && { parent_run_id: parentRunId }),
    source,
    ...(run.rerunOf && { rerun_of: run.rerunOf.runId }),
    ...(userId !== undefined && { user_id: userId }),
    // what its guards took out is shown to nobody
    task: progress.input?.task ?? task,
    ...(metadata && { metadata }),
    status,
    created_at: createdAt,
    ...(finishedAt !== undefined && { finished_at: finishedAt }),
    duration_ms: Math.max(
      0,
      (finishedAt === undefined ? nowMs : Date.parse(finishedAt)) - Date.parse(createdAt),
    ),
    ...toCost(progress.cost),
    ...(result && { result }),
    approvals: toApprovals(waits),
    waits: waits.map(toWait),
  }
}

import type { Graph, GraphRunRequest, RunSource } from '@homeward/contract/agent-platform'
import { accountsOf, mergeAccounts } from '../budgets/accounts.ts'
import type { GraphStore } from '../store/ports/graph-store.ts'
import type { NewJournalEvent } from '../store/ports/journal.ts'
import type { NewGraphRun, RunStore } from '../store/ports/run-store.ts'
import type { Runs } from '../runs/runs.ts'
import { cut } from '../json/to-json.ts'
import { RuntimeError } from '../ports/runtime-error.ts'
import { assertFunctions } from './assert-functions.ts'
import type { Graphs } from './graphs.ts'
import type { NodeFunctions } from './node-functions.ts'

/** What {@link createGraphStart} is built from. */
export interface GraphStartContext {
  readonly store: GraphStore & Pick<RunStore, 'findRun' | 'listRuns' | 'listRunEvents'>
  readonly runs: Pick<Runs, 'startGraph' | 'find'>
  /** The functions of graphs that this process has. */
  readonly functions: NodeFunctions
  /** Milliseconds since the epoch. */
  readonly now: () => number
  readonly createId: () => string
}

/** Builds {@link Graphs.start}. */
export function createGraphStart({
  store,
  runs,
  functions,
  now,
  createId,
}: GraphStartContext): Graphs['start'] {
  return async (request, { signal, source = 'api', tainted = false } = {}) => {
    const graph = await findGraph(store, request, signal)
    assertFunctions(graph, functions, 'Running a graph failed')
    const run = { ...toNewRun(request, graph, source, { id: createId(), nowMs: now() }), tainted }
    const handle = await runs.startGraph(run, [toStartedEvent(run)], signal)
    if (handle.runId !== run.id) await assertSame(runs, handle.runId, run)
    return handle
  }
}

/** The entry of the journal for a graph's run that begins. */
export const toStartedEvent = ({ id: runId, graph, task, createdAt }: NewGraphRun): NewJournalEvent => ({
  type: 'graph.started',
  timestamp: createdAt,
  runId,
  data: { graph_id: graph.id, task: cut(task, 500) },
})

/** A graph that was deleted is still that of the runs that were started of it: who has the key of one may join it. */
async function findGraph(
  store: GraphStartContext['store'],
  { graph_id: id, idempotency_key: key }: GraphRunRequest,
  signal: AbortSignal | undefined,
): Promise<Graph> {
  const graph = await store.findGraph(id, signal)
  if (graph) return graph
  const { rows } =
    key === undefined ? { rows: [] } : await store.listRuns({ graphId: id }, { limit: 100 }, signal)
  const run = rows.find(({ idempotencyKey }) => idempotencyKey === key)
  if (run?.kind === 'graph') return run.graph
  throw new RuntimeError(
    'not_found',
    `Running a graph failed: no graph has the id "${id.slice(0, 100)}". List the graphs to find it.`,
  )
}

/** A run of a graph that is about to start. */
export function toNewRun(
  request: GraphRunRequest,
  graph: Graph,
  source: RunSource,
  { id, nowMs }: { readonly id: string; readonly nowMs: number },
): NewGraphRun {
  const { input, user_id: userId, metadata, idempotency_key: idempotencyKey, budget } = request
  const subject = { kind: 'graph', id: graph.id } as const
  return {
    kind: 'graph',
    id,
    graph,
    task: input,
    source,
    depth: 0,
    tainted: false,
    accounts: mergeAccounts(
      accountsOf(subject, graph.budget, id, nowMs),
      accountsOf(subject, budget, id, nowMs),
    ),
    createdAt: new Date(nowMs).toISOString(),
    ...(userId !== undefined && { userId }),
    ...(metadata && { metadata }),
    ...(idempotencyKey !== undefined && { idempotencyKey }),
  }
}

/** The same key gives the same run, and is not taken for another. */
async function assertSame(runs: GraphStartContext['runs'], id: string, wanted: NewGraphRun): Promise<void> {
  const known = await runs.find(id)
  if (known?.graph_id === wanted.graph.id && known.task === wanted.task && known.user_id === wanted.userId)
    return
  throw new RuntimeError(
    'conflict',
    'Running a graph failed: this idempotency key was used for another run. Send a new key.',
  )
}

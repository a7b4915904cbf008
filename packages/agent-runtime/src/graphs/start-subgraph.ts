import { accountsOf, mergeAccounts } from '../budgets/accounts.ts'
import { cut } from '../json/to-json.ts'
import { RuntimeError } from '../ports/runtime-error.ts'
import type { GraphHandle } from '../runs/runs.ts'
import type { NewGraphRun, StoredGraphRun } from '../store/ports/run-store.ts'
import { assertFunctions } from './assert-functions.ts'
import type { DueNode } from './graph-evaluation.ts'
import type { NodeContext } from './node-context.ts'

/** Graphs inside one another at most: one that runs itself would never end. */
const maxGraphDepth = 5

/**
 * Starts the run of a graph for a node of another one, or joins the one with its key.
 *
 * @param known the run, if it was begun: its graph may be gone since.
 * @throws {RuntimeError} `not_found`, `validation_error`, `forbidden` if graphs are nested too deep.
 */
export async function startSubgraph(
  context: NodeContext,
  { node, task }: DueNode,
  key: string,
  known: StoredGraphRun | undefined,
): Promise<GraphHandle> {
  const { run, store, runs, isTainted } = context
  const id = node.graph ?? ''
  const graph = known?.graph ?? (await store.findGraph(id))
  if (!graph)
    throw new RuntimeError(
      'not_found',
      `Running a node failed: no graph has the id "${id}". Change "graph" of the node.`,
    )
  if (!known) {
    assertFunctions(graph, context.functions, 'Running a node failed')
    await assertNotDeep(context)
  }
  const nowMs = context.now()
  const runId = context.createId()
  const child: NewGraphRun = {
    kind: 'graph',
    id: runId,
    graph,
    task: known?.task ?? task(),
    source: 'graph',
    depth: run.depth,
    tainted: isTainted(node.id),
    accounts: mergeAccounts(
      run.accounts,
      accountsOf({ kind: 'graph', id: graph.id }, graph.budget, runId, nowMs),
    ),
    createdAt: new Date(nowMs).toISOString(),
    idempotencyKey: key,
    parentRunId: run.id,
    ...(run.userId !== undefined && { userId: run.userId }),
    ...(run.metadata && { metadata: run.metadata }),
  }
  const data = { graph_id: graph.id, task: cut(child.task, 500), parent_run_id: run.id }
  return runs.startGraph(child, [{ type: 'graph.started', timestamp: child.createdAt, runId, data }])
}

async function assertNotDeep({ store, run }: NodeContext): Promise<void> {
  let depth = 1
  let parentId = run.parentRunId
  while (parentId !== undefined) {
    const parent = await store.findRun(parentId)
    if (parent?.kind !== 'graph') return
    depth += 1
    parentId = parent.parentRunId
    if (depth < maxGraphDepth) continue
    throw new RuntimeError(
      'forbidden',
      `Running a node failed: graphs can be nested at most ${maxGraphDepth} deep. Check whether a graph runs itself.`,
    )
  }
}

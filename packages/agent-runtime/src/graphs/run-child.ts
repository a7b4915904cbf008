import { untilAborted } from '@homeward/kit'
import type { GraphRunResult, NodeResult } from '@homeward/contract/agent-platform'
import { RuntimeError } from '../ports/runtime-error.ts'
import { waitsIn } from '../ports/waiting-agent.ts'
import { attemptKey, hasEnded } from '../runs/graphs/graph-driver.ts'
import type { StoredGraphRun, StoredRun } from '../store/ports/run-store.ts'
import type { DueNode } from './graph-evaluation.ts'
import { createGraphShape } from './graph-shape.ts'
import type { NodeContext, NodeOutcome } from './node-context.ts'
import { subjectOf } from './node-subject.ts'
import { startSubgraph } from './start-subgraph.ts'

/** Makes an attempt of a node as the run of its agent or graph, or joins the run that was begun. */
export async function runChild(context: NodeContext, due: DueNode, attempt: number): Promise<NodeOutcome> {
  const { node } = due
  const known = context.children.attempt(node.id, attempt)
  let child = known && !hasEnded(known) ? await findChild(context, known.id) : known
  for (;;) {
    if (child) {
      context.children.set(child)
      context.onAttempt(node, child.id, attempt)
      if (hasEnded(child)) return { result: toNodeResult(context, due, attempt, child) }
      if (child.status === 'waiting') {
        return { waiting: { runIds: [child.id], waits: waitsIn(child.result) } }
      }
    }
    const handle = await join(context, due, attempt, child)
    context.onAttempt(node, handle.runId, attempt)
    if (context.isCancelled()) await untilAborted(context.runs.cancel(handle.runId), context.leaving)
    await untilAborted<unknown>(handle.result, context.leaving)
    // A run whose approvals were decided meanwhile is running again: it is joined once more.
    child = await findChild(context, handle.runId)
  }
}

interface ChildHandle {
  readonly runId: string
  readonly result: Promise<unknown>
}

async function join(
  context: NodeContext,
  due: DueNode,
  attempt: number,
  child: StoredRun | undefined,
): Promise<ChildHandle> {
  const key = attemptKey(context.run.id, due.node.id, attempt)
  if (child?.kind === 'graph' || due.node.graph !== undefined) {
    return startSubgraph(context, due, key, child?.kind === 'graph' ? child : undefined)
  }
  return child ? context.runs.attach(child.id) : startAgent(context, due, key)
}

async function startAgent({ runs, run, isTainted }: NodeContext, { node, task }: DueNode, key: string) {
  const request = {
    agent_id: node.agent ?? '',
    task: task(),
    // the answer is in the graph's result; conversations are for people
    store: false,
    idempotency_key: key,
    ...(run.userId !== undefined && { user_id: run.userId }),
    ...(run.metadata && { metadata: run.metadata }),
  }
  const { accounts, depth } = run
  const tainted = isTainted(node.id)
  return runs.start(request, { source: 'graph', parentRunId: run.id, depth, tainted, accounts })
}

async function findChild({ store }: NodeContext, runId: string): Promise<StoredRun> {
  const child = await store.findRun(runId)
  if (child) return child
  throw new RuntimeError(
    'storage_error',
    'Running a graph failed: the run of a node was deleted. Start the graph again.',
  )
}

function toNodeResult(
  { children, redact, timestamp }: NodeContext,
  { node }: DueNode,
  attempt: number,
  child: StoredRun,
): NodeResult {
  const { success = false, output = '', error = 'the run failed', code = 'run_error' } = child.result ?? {}
  const data = child.kind === 'agent' ? child.result?.data : dataOf(child, child.result)
  return {
    node_id: node.id,
    ...subjectOf(node),
    success,
    status: success ? 'completed' : 'failed',
    output: redact.text(output),
    ...(data !== undefined && success && { data: redact.json(data) }),
    ...(!success && { error: redact.text(error), code }),
    run_id: child.id,
    attempts: attempt,
    started_at: (children.attempt(node.id, 1) ?? child).createdAt,
    finished_at: child.finishedAt ?? timestamp(),
  }
}

/** The data of a graph's only last node. */
function dataOf({ graph }: StoredGraphRun, result: GraphRunResult | undefined) {
  const { sinks } = createGraphShape(graph)
  const [last] = sinks
  return sinks.length === 1
    ? result?.node_results.find(({ node_id: id }) => id === last?.id)?.data
    : undefined
}

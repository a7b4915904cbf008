import type { GraphRunRequest, NodeResult, RerunRequest } from '@homeward/contract/agent-platform'
import { RuntimeError, type RuntimeErrorCode } from '../ports/runtime-error.ts'
import { noProgress } from '../runs/loop/run.ts'
import { hasEnded } from '../runs/graphs/graph-driver.ts'
import type { NewGraphRun, RunBeginning } from '../store/ports/new-run.ts'
import type { StoredGraphRun, StoredRun } from '../store/ports/run-store.ts'
import { assertFunctions } from './assert-functions.ts'
import { readCheckpoint } from './graph-checkpoint.ts'
import { createGraphShape } from './graph-shape.ts'
import type { Graphs } from './graphs.ts'
import { nodeIdOf } from './node-subject.ts'
import { type GraphStartContext, toNewRun, toStartedEvent } from './start-graph.ts'

const attempt = 'Running again failed'

/** Builds {@link Graphs.rerun}. */
export function createGraphRerun({
  store,
  runs,
  functions,
  now,
  createId,
}: GraphStartContext): Graphs['rerun'] {
  return async (runId, asked = {}, signal) => {
    const before = await store.findRun(runId, signal)
    assertAllowed(before, asked)
    const isFromFailed = asked.from === 'failed'
    const graph = isFromFailed ? before.graph : await store.findGraph(before.graph.id, signal)
    if (!graph) throw refuse('not_found', 'the graph of the run was deleted. Create the graph again.')
    assertFunctions(graph, functions, attempt)
    const id = createId()
    const run: NewGraphRun = {
      ...toNewRun(toRequest(before, asked), graph, 'rerun', { id, nowMs: now() }),
      tainted: before.tainted || (isFromFailed && before.progress.tainted),
      rerunOf: { runId, ...(isFromFailed && { step: 'failed' }) },
    }
    const begun = isFromFailed ? toBeginning(run, await readKept(store, before)) : undefined
    const handle = await runs.startGraph({ ...run, ...(begun && { begun }) }, [toStartedEvent(run)], signal)
    const isNew = handle.runId === id
    if (!isNew && !isSame(await store.findRun(handle.runId, signal), run))
      throw refuse('conflict', 'the idempotency key belongs to another run. Use another key.')
    return { ...handle, isNew }
  }
}

function assertAllowed(
  before: StoredRun | undefined,
  { from, from_step: step, task }: RerunRequest,
): asserts before is StoredGraphRun {
  if (!before) throw refuse('not_found', 'no run has this id. List the runs to find it.')
  if (before.kind === 'agent') throw refuse('validation_error', 'the run is of an agent. Use runs.rerun().')
  if (step !== undefined && step !== null)
    throw refuse('validation_error', '"from_step" works only for runs of agents. Use "from": "failed".')
  if (from === undefined) return
  if (task !== undefined)
    throw refuse(
      'validation_error',
      '"from" excludes "task", because completed nodes keep their results. Omit one.',
    )
  if (!hasEnded(before))
    throw refuse('conflict', 'the run has not ended. Wait until it has ended, or cancel it.')
  if (before.status === 'completed')
    throw refuse('conflict', 'no node of the run failed. Omit "from" to run the whole graph again.')
}

const refuse = (code: RuntimeErrorCode, problem: string) => new RuntimeError(code, `${attempt}: ${problem}`)

function toRequest(before: StoredGraphRun, { task, idempotency_key: key }: RerunRequest): GraphRunRequest {
  const { graph, userId, metadata } = before
  return {
    graph_id: graph.id,
    input: task ?? before.task,
    ...(userId !== undefined && { user_id: userId }),
    ...(metadata && { metadata }),
    ...(key !== undefined && { idempotency_key: key }),
  }
}

/** Results that stay: of completed nodes, and items, that have no failed node before them. */
async function readKept(store: GraphStartContext['store'], before: StoredGraphRun): Promise<NodeResult[]> {
  // Events may have been removed by retention. Then the result still has the nodes.
  const { ended } = await readCheckpoint(store, before.id)
  const known = [...(before.result?.node_results ?? []), ...ended]
  const byId = new Map(known.map((result) => [result.node_id, result]))
  const shape = createGraphShape(before.graph)
  const isSound = (id: string) => {
    const status = byId.get(id)?.status
    return status === 'completed' || status === 'skipped'
  }
  return [...byId.values()].filter(({ node_id: id, status }) => {
    const nodesBefore = shape.ancestors(nodeIdOf(shape.ordered, id))
    return status === 'completed' && [...nodesBefore].every(isSound)
  })
}

/** The stream of the new run begins with the nodes that it takes over. Any process that resumes the run reads them there. */
function toBeginning(run: NewGraphRun, kept: readonly NodeResult[]): RunBeginning {
  return {
    messages: [],
    spans: [],
    intents: [],
    progress: { ...noProgress, tainted: run.tainted },
    events: [
      { event: 'start', data: { run_id: run.id, graph_id: run.graph.id } },
      ...kept.map((data) => ({ event: 'node_done', data }) as const),
    ],
  }
}

/** Whether a run is the one that an earlier request of the same kind has started. */
const isSame = (known: StoredRun | undefined, { rerunOf, task }: NewGraphRun) =>
  known?.task === task && known.rerunOf?.runId === rerunOf?.runId && known.rerunOf?.step === rerunOf?.step

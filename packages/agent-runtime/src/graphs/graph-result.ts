import type { GraphRunResult, NodeResult, Usage } from '@homeward/contract/agent-platform'
import type { StoredGraphRun } from '../store/ports/run-store.ts'
import { skippedNode } from './graph-evaluation.ts'
import type { GraphShape } from './graph-shape.ts'

/** How a graph's run stopped. */
export type GraphStop = 'done' | 'waiting' | 'cancelled'

/** What a graph's run has come to. */
export interface GraphState {
  readonly run: Pick<StoredGraphRun, 'id' | 'graph'>
  readonly shape: GraphShape
  readonly results: ReadonlyMap<string, NodeResult>
  readonly usage: Usage
  readonly stop: GraphStop
}

/**
 * The result of a graph's run (A10). `success`: no node failed, also where the graph goes on without a node that did;
 * `output`: the text of the only sink, or the texts of all sinks that completed, with an empty line between them.
 */
export function toGraphResult({ run, shape, results, usage, stop }: GraphState): GraphRunResult {
  const nodes = run.graph.nodes.flatMap((node) => {
    const result = results.get(node.id)
    if (result) return [result]
    // A graph that was cancelled never comes to the nodes that are left; one that waits does.
    return stop === 'cancelled' ? [skippedNode(node)] : []
  })
  const completed = new Map(
    nodes.flatMap(({ node_id: id, status, output }) => (status === 'completed' ? [[id, output]] : [])),
  )
  const problem = problemOf(stop, nodes)
  return {
    success: problem === undefined,
    output: shape.sinks.flatMap(({ id }) => completed.get(id) ?? []).join('\n\n'),
    ...problem,
    outputs: Object.fromEntries(completed),
    run_id: run.id,
    graph_id: run.graph.id,
    node_results: nodes,
    usage,
  }
}

function problemOf(
  stop: GraphStop,
  nodes: readonly NodeResult[],
): { error: string; code: string } | undefined {
  if (stop === 'cancelled') return { error: 'The run of the graph was canceled', code: 'cancelled' }
  if (stop === 'waiting') return { error: 'The graph waits for an approval', code: 'approval' }
  const failed = nodes.filter(({ status }) => status === 'failed')
  // Whoever thinks of trying again has to know that an effect is uncertain.
  const first = failed.find(({ code }) => code === 'effect_uncertain') ?? failed[0]
  if (!first) return undefined
  const others = failed.length > 1 ? ` (and ${failed.length - 1} more)` : ''
  const { node_id: id, error = 'unknown error', code = 'run_error' } = first
  return { error: `Running the graph failed: node "${id}" failed: ${error}${others}`, code }
}

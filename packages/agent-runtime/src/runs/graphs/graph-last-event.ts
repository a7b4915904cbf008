import type { GraphRunResult, RunEvent } from '@homeward/contract/agent-platform'

/** Whether a graph's run failed through no node's fault: its nodes could not be looked after any more. */
export function brokeOff({ success, code, node_results: nodes }: GraphRunResult): boolean {
  return !success && nodes.length === 0 && code !== 'cancelled' && code !== 'approval'
}

/** The last event of a graph's run: `done` also when nodes failed, as it tells of every node. */
export function toGraphLastEvent(result: GraphRunResult): RunEvent {
  const { error = 'The run failed', code = 'run_error', run_id, output } = result
  if (code === 'cancelled' || brokeOff(result))
    return { event: 'error', data: { message: error, code, run_id } }
  return { event: 'done', data: { finalContent: output, ...result } }
}

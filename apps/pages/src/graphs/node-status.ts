import type { NodeStatus } from './graph-run-state.ts'

/** How the state of a node is said. */
export const nodeStatusLabels: Readonly<Record<NodeStatus, string>> = {
  pending: 'not yet begun',
  running: 'running',
  waiting: 'waits for a person',
  completed: 'completed',
  failed: 'failed',
  skipped: 'skipped',
}

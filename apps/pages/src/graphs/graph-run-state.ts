import type { Json, NodeResult, RunEvent } from '@homeward/contract/agent-platform'
import type { FollowedRunEvent } from '@homeward/contract/runs'

/** Where a node of a run is. `waiting`: for a person; `pending`: for the nodes before it. */
export type NodeStatus = 'pending' | 'running' | 'waiting' | 'completed' | 'failed' | 'skipped'

/** A node of a run. */
export interface NodeState {
  readonly status: NodeStatus
  /** Run of the agent, of the newest attempt. */
  readonly runId?: string | undefined
  readonly attempt: number
  /** How it ended. */
  readonly result?: NodeResult
}

/** A tool call of a node that waits for a person, or has waited. */
export interface NodeApproval {
  readonly id: string
  /** Run that the decision is sent to. */
  readonly runId: string
  readonly tool: string
  readonly args: Json
  /** The node, when the run is its own, and not one that its agent asked for. */
  readonly nodeId: string | undefined
}

/** What the events of a graph's run have told so far. */
export interface GraphRunState {
  readonly runId: string | undefined
  readonly status: 'running' | 'completed' | 'failed' | 'cancelled'
  readonly nodes: Readonly<Record<string, NodeState>>
  /** Those of nodes that have not ended. */
  readonly approvals: readonly NodeApproval[]
  readonly output: string | undefined
  /** Why it failed. */
  readonly error: string | undefined
}

/** A run of which nothing is known yet. */
export const newGraphRun: GraphRunState = {
  runId: undefined,
  status: 'running',
  nodes: {},
  approvals: [],
  output: undefined,
  error: undefined,
}

const pending: NodeState = { status: 'pending', attempt: 0 }

/** Where a node is. Names of nodes may be those that every object has, such as `constructor`. */
export function stateOf({ nodes }: GraphRunState, id: string): NodeState {
  return (Object.hasOwn(nodes, id) ? nodes[id] : undefined) ?? pending
}

/** What is known once another event has come. */
export function addRunEvent(state: GraphRunState, item: FollowedRunEvent): GraphRunState {
  if (item.event === 'restart') return newGraphRun
  if (item.event === 'connection') return state
  const { event, data } = item
  if (event === 'start') return { ...state, runId: data.run_id }
  if (event === 'node_start') {
    const { node_id: id, run_id: runId, attempt } = data
    return withNode(state, id, { status: 'running', runId, attempt })
  }
  if (event === 'node_done') {
    const { node_id: id, status, run_id: runId, attempts } = data
    const approvals = state.approvals.filter(({ nodeId }) => nodeId !== id)
    return withNode({ ...state, approvals }, id, { status, runId, attempt: attempts, result: data })
  }
  if (event === 'approval') return withApproval(state, data)
  if (event === 'error') {
    return { ...state, status: data.code === 'cancelled' ? 'cancelled' : 'failed', error: data.message }
  }
  if (event !== 'done') return state
  return { ...state, status: data.success ? 'completed' : 'failed', output: data.output, error: data.error }
}

/** The run without what people have decided, which its events do not tell: a node of which nothing else is asked goes on. */
export function withoutDecided(state: GraphRunState, decided: ReadonlySet<string>): GraphRunState {
  const approvals = state.approvals.filter(({ id }) => !decided.has(id))
  const waiting = new Set(approvals.map(({ nodeId }) => nodeId))
  const nodes = Object.entries(state.nodes).map(([id, node]): [string, NodeState] => [
    id,
    node.status === 'waiting' && !waiting.has(id) ? { ...node, status: 'running' } : node,
  ])
  return { ...state, approvals, nodes: Object.fromEntries(nodes) }
}

function withNode(state: GraphRunState, id: string, node: NodeState): GraphRunState {
  return { ...state, nodes: { ...state.nodes, [id]: node } }
}

function withApproval(
  state: GraphRunState,
  data: Extract<RunEvent, { event: 'approval' }>['data'],
): GraphRunState {
  const runId = data.run_id ?? state.runId ?? ''
  const nodeId = Object.keys(state.nodes).find((id) => state.nodes[id]?.runId === runId)
  const approval = { id: data.id, runId, tool: data.tool, args: data.args, nodeId }
  const known: GraphRunState = { ...state, approvals: [...state.approvals, approval] }
  const node = nodeId === undefined ? undefined : state.nodes[nodeId]
  return nodeId !== undefined && node ? withNode(known, nodeId, { ...node, status: 'waiting' }) : known
}

/** How the state of a node is said. */
export const nodeStatusLabels: Readonly<Record<NodeStatus, string>> = {
  pending: 'not yet begun',
  running: 'running',
  waiting: 'waits for a person',
  completed: 'completed',
  failed: 'failed',
  skipped: 'skipped',
}

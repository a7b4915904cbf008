import type { GraphNode, NodeResult, Wait } from '@homeward/contract/agent-platform'
import type { Tracing } from '../ports/instrumentation.ts'
import type { Runs } from '../runs/runs.ts'
import type { Redactor } from '../secrets/redact.ts'
import type { GraphStore } from '../store/ports/graph-store.ts'
import type { RunStore, StoredGraphRun } from '../store/ports/run-store.ts'
import type { StoredWait } from '../store/ports/wait.ts'
import type { GraphChildren } from './graph-checkpoint.ts'
import type { NodeFunctions } from './node-functions.ts'

/** What a node's run needs of its graph's run. */
export interface NodeContext {
  readonly runs: Pick<Runs, 'start' | 'attach' | 'startGraph' | 'cancel'>
  readonly store: Pick<RunStore, 'findRun' | 'listRunEvents' | 'listWaitsOf' | 'listWaits'> &
    Pick<GraphStore, 'findGraph'>
  readonly run: StoredGraphRun
  readonly children: GraphChildren
  readonly functions: NodeFunctions
  readonly tracing: Tracing | undefined
  readonly redact: Redactor
  readonly now: () => number
  readonly timestamp: () => string
  readonly createId: () => string
  /** Aborts when this process leaves the graph's run alone: the nodes' runs go on. */
  readonly leaving: AbortSignal
  /** Aborts when the graph's run is canceled, and when this process leaves it. */
  readonly stopping: AbortSignal
  /** Whether the graph's run is to end. */
  readonly isCancelled: () => boolean
  readonly isTainted: (nodeId: string) => boolean
  /** Number of the newest attempt of a function that was begun; 0 for none. */
  readonly begun: (nodeId: string) => number
  /** Whether anything of a node was begun, in this process or before. */
  readonly wasBegun: (nodeId: string) => boolean
  /** How an item of a node with `map` ended before. */
  readonly ended: (itemId: string) => NodeResult | undefined
  /** An attempt is under way: as this run, or without one. */
  readonly onAttempt: (node: GraphNode, runId: string | undefined, attempt: number) => void
  /** An item of a node with `map` has ended. */
  readonly onItem: (result: NodeResult) => void
  /** Stores what was announced. */
  readonly keep: () => Promise<void>
  /** Stores a wait of the graph's own, unless it is known, with what was announced, and looks for its event. */
  readonly open: (wait: StoredWait, isKnown: boolean) => Promise<void>
}

/** What a node waits for: runs that wait, or a wait of its own. */
export interface NodeWait {
  readonly runIds: readonly string[]
  /** What they wait for. */
  readonly waits: readonly Wait[]
  /** Id of a node that waits itself; then the only run is that of the graph. */
  readonly nodeId?: string
}

/** How far a node came. */
export type NodeOutcome = { readonly result: NodeResult } | { readonly waiting: NodeWait }

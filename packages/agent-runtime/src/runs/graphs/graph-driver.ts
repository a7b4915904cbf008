import type { GraphRunResult, RunEvent, RunStatus } from '@homeward/contract/agent-platform'
import type { NewJournalEvent } from '../../store/ports/journal.ts'
import type { RunCost, StoredGraphRun, StoredRun } from '../../store/ports/run-store.ts'
import type { StoredWait } from '../../store/ports/wait.ts'
import type { Redactor } from '../../secrets/redact.ts'

/** A graph's run that is this process's to work on, from its start or where it was left. */
export interface GraphWork {
  readonly run: StoredGraphRun
  /** Aborts when the run is cancelled, given back, or lost to another process: whatever comes of it then, stop. */
  readonly signal: AbortSignal
  /** Id of this runtime: what its leases are under. */
  readonly owner: string
  /** Tells those who listen. What is not saved is lost with the process. */
  push(event: RunEvent): void
  /**
   * Keeps what was pushed since the last time, and entries of the journal, in one write.
   *
   * @throws {Error} when the run is not this process's any more; `signal` has aborted then.
   */
  save(journal?: readonly NewJournalEvent[]): Promise<void>
  /** Stores a wait of the run, with what was pushed, and looks for its event. @throws {Error} as {@link save} */
  open(wait: StoredWait, isKnown: boolean): Promise<void>
  /** Takes secrets out of what leaves the run. */
  readonly redact: Redactor
}

/** What came of a graph's run. */
export interface GraphOutcome {
  /** Result, of a graph that waits the result so far. */
  readonly result: GraphRunResult
  /** Whether only nodes that wait are left: the run becomes `waiting`, and goes on when one of them ends. */
  readonly isWaiting: boolean
  /** Whether a node has read content that a stranger may have made (A20). */
  readonly isTainted: boolean
  /** What the model calls of all nodes have cost; absent if there were none. */
  readonly cost?: RunCost | undefined
}

/**
 * Does the work of a graph's run and says what came of it. The end, its last event and `graph.completed` are written by
 * who calls it. When `signal` aborts with `cancelled` it cancels what it has started and gives the result so far;
 * with anything else it rejects with the reason and leaves all as it is.
 */
export type DriveGraph = (work: GraphWork) => Promise<GraphOutcome>

/** Whether a graph's run failed through no node's fault: its nodes could not be looked after any more. */
export function brokeOff({ success, code, node_results: nodes }: GraphRunResult): boolean {
  return !success && nodes.length === 0 && code !== 'cancelled'
}

/** The last event of a graph's run: `done` also when nodes failed, as it tells of every node. */
export function toGraphLastEvent(result: GraphRunResult): RunEvent {
  const { error = 'The run failed', code = 'run_error', run_id, output } = result
  if (code === 'cancelled' || brokeOff(result))
    return { event: 'error', data: { message: error, code, run_id } }
  return { event: 'done', data: { finalContent: output, ...result } }
}

/** Whether a run has come to its end. */
export const hasEnded = ({ status }: { readonly status: RunStatus }) =>
  status !== 'running' && status !== 'waiting'

/** The same for every process that works on the graph's run: whoever comes second joins the attempt. */
export const attemptKey = (runId: string, nodeId: string, attempt: number) => `${runId}:${nodeId}:${attempt}`

/** The node that a run was begun for; undefined when it is not one of the graph's. */
export function nodeIdOf(runId: string, { idempotencyKey = '' }: Pick<StoredRun, 'idempotencyKey'>) {
  const head = `${runId}:`
  return idempotencyKey.startsWith(head)
    ? idempotencyKey.slice(head.length, idempotencyKey.lastIndexOf(':'))
    : undefined
}

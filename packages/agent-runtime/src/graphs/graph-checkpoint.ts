import type { NodeResult, Usage } from '@homeward/contract/agent-platform'
import { attemptKey, hasEnded, nodeIdOf } from '../runs/graphs/graph-driver.ts'
import { isItemOf } from './node-subject.ts'
import type { RunCost, RunStore, StoredRun } from '../store/ports/run-store.ts'
import { addCost, addTokens } from '../runs/cost.ts'

/** Stored progress of a graph's run. */
export interface GraphCheckpoint {
  /** Nodes that have ended. */
  readonly ended: readonly NodeResult[]
  /** Runs that are announced in the stream. */
  readonly announced: Set<string>
  /** Newest attempts of nodes without a run that are announced in the stream: functions, and nodes with `map`. */
  readonly begun: Map<string, number>
  /** Waits that are announced in the stream, with the run that asked, until their end is announced. */
  readonly asked: Map<string, string>
  /** Waits whose end is announced. */
  readonly settled: Set<string>
  readonly children: GraphChildren
}

/** Runs of a graph's nodes. */
export interface GraphChildren {
  /** The run of an attempt, if it was started. */
  attempt(nodeId: string, attempt: number): StoredRun | undefined
  /** Remembers a run as it is now. */
  set(run: StoredRun): void
  /** Those that have not ended, as far as is known. */
  open(): readonly StoredRun[]
  /** Whether a node has read content that a stranger may have made (A20). */
  isTainted(nodeId: string): boolean
  /** What all of them used. */
  usage(): Usage
  /** What that has cost. */
  cost(): RunCost | undefined
}

/** Reads the stored progress of a graph's run: its stream lists the nodes that have ended, its children the work under way. */
export async function readCheckpoint(
  store: Pick<RunStore, 'listRunEvents' | 'listRuns'>,
  runId: string,
): Promise<GraphCheckpoint> {
  const ended = new Map<string, NodeResult>()
  const announced = new Set<string>()
  const begun = new Map<string, number>()
  const asked = new Map<string, string>()
  const settled = new Set<string>()
  for (const { events } of await store.listRunEvents(runId, 0)) {
    for (const { event, data } of events) {
      if (event === 'node_done') ended.set(data.node_id, data)
      if (event === 'node_start') {
        if (data.run_id === undefined) begun.set(data.node_id, data.attempt)
        else announced.add(data.run_id)
      }
      // events of older versions tell of approvals alone
      if (event === 'approval') asked.set(data.id, data.run_id ?? runId)
      if (event === 'wait') asked.set(data.wait.id, data.wait.run_id)
      if (event === 'wait_settled') settled.add(data.wait.id)
    }
  }
  const children = createGraphChildren(runId)
  let cursor: string | undefined
  do {
    const page = await store.listRuns({ parentRunId: runId }, { limit: 500, cursor })
    for (const run of page.rows) children.set(run)
    cursor = page.nextCursor
  } while (cursor !== undefined)
  return { ended: [...ended.values()], announced, begun, asked, settled, children }
}

function createGraphChildren(runId: string): GraphChildren {
  const byKey = new Map<string, StoredRun>()
  const attemptOf = (nodeId: string, attempt: number) => byKey.get(attemptKey(runId, nodeId, attempt))
  return {
    attempt: attemptOf,
    set: (run) => void byKey.set(run.idempotencyKey ?? run.id, run),
    open: () => [...byKey.values()].filter((run) => !hasEnded(run)),
    isTainted(nodeId) {
      return [...byKey.values()].some((run) => {
        const id = run.progress.tainted ? nodeIdOf(runId, run) : undefined
        return id !== undefined && (id === nodeId || isItemOf(nodeId, id))
      })
    },
    usage() {
      const sum: Usage = { input_tokens: 0, output_tokens: 0 }
      for (const { progress } of byKey.values()) addTokens(sum, progress.usage)
      return sum
    },
    cost: () =>
      [...byKey.values()].reduce(
        (sum: RunCost | undefined, run) => addCost(sum, run.progress.cost),
        undefined,
      ),
  }
}

import type { NodeResult, Usage } from '@homeward/contract/agent-platform'
import { attemptKey, hasEnded } from '../runs/graphs/node-attempts.ts'
import type { RunStore, StoredAgentRun } from '../store/ports/run-store.ts'
import { addTokens } from '../runs/add-tokens.ts'

/** What is kept of a graph's run: how far it had come. */
export interface GraphCheckpoint {
  /** Nodes that have ended. */
  readonly ended: readonly NodeResult[]
  /** Runs that are announced in the stream. */
  readonly announced: Set<string>
  /** Approvals that are announced in the stream. */
  readonly asked: Set<string>
  readonly children: GraphChildren
}

/** Runs of a graph's nodes. */
export interface GraphChildren {
  /** The run of an attempt, if it was started. */
  attempt(nodeId: string, attempt: number): StoredAgentRun | undefined
  /** Remembers a run as it is now. */
  set(run: StoredAgentRun): void
  /** Those that have not ended, as far as is known. */
  open(): readonly StoredAgentRun[]
  /** Whether a node has read content that a stranger may have made (A20). */
  isTainted(nodeId: string): boolean
  /** What all of them used. */
  usage(): Usage
}

/** Reads what is kept of a graph's run: its stream says which nodes have ended, its children what is under way. */
export async function readCheckpoint(
  store: Pick<RunStore, 'listRunEvents' | 'listRuns'>,
  runId: string,
): Promise<GraphCheckpoint> {
  const ended = new Map<string, NodeResult>()
  const announced = new Set<string>()
  const asked = new Set<string>()
  for (const { events } of await store.listRunEvents(runId, 0)) {
    for (const { event, data } of events) {
      if (event === 'node_done') ended.set(data.node_id, data)
      if (event === 'node_start') announced.add(data.run_id)
      if (event === 'approval') asked.add(data.id)
    }
  }
  const children = createGraphChildren(runId)
  let cursor: string | undefined
  do {
    const page = await store.listRuns({ parentRunId: runId }, { limit: 500, cursor })
    for (const run of page.rows) if (run.kind === 'agent') children.set(run)
    cursor = page.nextCursor
  } while (cursor !== undefined)
  return { ended: [...ended.values()], announced, asked, children }
}

function createGraphChildren(runId: string): GraphChildren {
  const byKey = new Map<string, StoredAgentRun>()
  const attemptOf = (nodeId: string, attempt: number) => byKey.get(attemptKey(runId, nodeId, attempt))
  return {
    attempt: attemptOf,
    set: (run) => void byKey.set(run.idempotencyKey ?? run.id, run),
    open: () => [...byKey.values()].filter((run) => !hasEnded(run)),
    isTainted(nodeId) {
      for (let attempt = 1, run = attemptOf(nodeId, 1); run; run = attemptOf(nodeId, attempt)) {
        if (run.progress.tainted) return true
        attempt += 1
      }
      return false
    },
    usage() {
      const sum: Usage = { input_tokens: 0, output_tokens: 0 }
      for (const { progress } of byKey.values()) addTokens(sum, progress.usage)
      return sum
    },
  }
}

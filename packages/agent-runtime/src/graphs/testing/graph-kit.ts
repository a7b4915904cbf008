import type { Graph, GraphEdge, GraphNode, RunEvent } from '@homeward/contract/agent-platform'
import type { StoredGraphRun } from '../../store/ports/run-store.ts'
import type { GraphOutcome, GraphWork } from '../../runs/graphs/graph-driver.ts'
import { createRedactor } from '../../secrets/redact.ts'
import { createDriveGraph, type DriveGraphOptions } from '../drive-graph.ts'
import { createPlayedRuns, echoNode, toRuns, type Play, type Refuse } from './played-runs.ts'

const time = '2026-01-01T00:00:00.000Z'

/** A graph of nodes that all have the agent `a`, and edges written `from to` or `from to when`. */
export function graphOf(
  nodes: readonly (string | GraphNode)[],
  edges: readonly (string | GraphEdge)[] = [],
): Graph {
  return {
    id: 'g',
    nodes: nodes.map((node) => (typeof node === 'string' ? { id: node, agent: 'a' } : node)),
    edges: edges.map((edge) => {
      if (typeof edge !== 'string') return edge
      const [from = '', to = '', when] = edge.split(' ')
      return { from, to, ...(when !== undefined && { when }) }
    }),
    schedule_enabled: true,
    created_at: time,
    updated_at: time,
  }
}

/** How {@link createGraphKit} plays. */
interface GraphKitOptions {
  readonly graph: Graph
  readonly input?: string
  readonly play?: Play
  /** Refuses to start a run. */
  readonly refuse?: Refuse
  readonly run?: Partial<StoredGraphRun>
  readonly options?: Partial<DriveGraphOptions>
}

/** How one process drives the graph. */
interface DriveGiven {
  readonly signal?: AbortSignal
  /** Called before what was pushed is kept; throwing is a crash. */
  readonly beforeSave?: (save: number) => void
  readonly afterSave?: (save: number) => void
}

/** The driver of graphs over runs that are played. */
export function createGraphKit(given: GraphKitOptions) {
  const { graph, input = 'in', play = echoNode, refuse = () => undefined } = given
  const run: StoredGraphRun = {
    kind: 'graph',
    id: 'g1',
    graph,
    task: input,
    source: 'api',
    depth: 0,
    tainted: false,
    accounts: [],
    createdAt: time,
    status: 'running',
    cancelRequested: false,
    progress: {
      turns: 0,
      toolCalls: 0,
      usage: { input_tokens: 0, output_tokens: 0 },
      activeMs: 0,
      tainted: false,
    },
    ...given.run,
  }
  const kept: RunEvent[] = []
  const played = createPlayedRuns(play)
  const runs = toRuns(played, refuse)
  const store: DriveGraphOptions['store'] = {
    findRun: async (id) => played.find(id),
    listRuns: async () => ({ rows: played.all() }),
    listRunEvents: async () => [{ firstSeq: 1, events: [...kept] }],
    listWaitsOf: async () => [],
    listWaits: async () => ({ rows: [] }),
    findGraph: async () => undefined,
    subscribe: () => () => {},
  }
  const drive = createDriveGraph({ runs, store, now: () => Date.parse(time), ...given.options })

  return {
    ...played,
    kept,
    /** A process works on the graph's run. What it pushed and did not keep is lost with it. */
    async drive({ signal = new AbortController().signal, beforeSave, afterSave }: DriveGiven = {}) {
      let pushed: RunEvent[] = []
      let saves = 0
      const save = async () => {
        await Promise.resolve()
        saves += 1
        beforeSave?.(saves)
        kept.push(...pushed)
        pushed = []
        afterSave?.(saves)
      }
      const own: GraphWork = {
        run,
        signal,
        owner: 'me',
        push: (event) => void pushed.push(event),
        save,
        open: save,
        redact: createRedactor(['s3cr3t-value']),
      }
      const outcome: GraphOutcome = await drive(own)
      kept.push(...pushed)
      return outcome
    },
  }
}

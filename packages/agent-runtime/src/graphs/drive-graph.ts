import type { Tracing } from '../ports/instrumentation.ts'
import { silentLogger, type Logger } from '../ports/logger.ts'
import type { GraphStore } from '../store/ports/graph-store.ts'
import type { RunStore, StoredGraphRun } from '../store/ports/run-store.ts'
import type { StoreSignals } from '../store/ports/store-signal.ts'
import { createAutoResetEvent } from '@homeward/kit'
import type {
  GraphRunResult,
  GraphStopReason,
  NodeResult,
  Usage,
  Wait,
} from '@homeward/contract/agent-platform'
import type { DriveGraph, GraphWork } from '../runs/graphs/graph-driver.ts'
import type { Runs } from '../runs/runs.ts'
import { RuntimeError } from '../ports/runtime-error.ts'
import { toEvents } from '../runs/waits/open-waits.ts'
import { toWait } from '../store/wait-view.ts'
import { whileStoreFails } from '../concurrency/while-store-fails.ts'
import { readCheckpoint, type GraphCheckpoint } from './graph-checkpoint.ts'
import { createGraphEvaluation, type GraphEvaluation, skippedNode } from './graph-evaluation.ts'
import { createGraphShape, type GraphShape } from './graph-shape.ts'
import { createNodeRuns, type NodeRuns, type NodeRunsOptions } from './node-runs.ts'
import type { NodeContext } from './node-context.ts'
import { createEdgeConditions, type EdgeConditions } from './edge-conditions.ts'
import { createNodeFunctions, type NodeFunctions } from './node-functions.ts'
import { nodeIdOf, subjectOf } from './node-subject.ts'

/** What {@link createDriveGraph} is built from. */
export interface DriveGraphOptions {
  readonly runs: Pick<Runs, 'start' | 'attach' | 'startGraph' | 'cancel' | 'onEnded'>
  readonly store: Pick<RunStore, 'findRun' | 'listRuns' | 'listRunEvents' | 'listWaitsOf' | 'listWaits'> &
    Pick<GraphStore, 'findGraph'> &
    StoreSignals
  /** The functions of graphs that this process has. @default none */
  readonly functions?: NodeFunctions
  /** Runs functions inside of spans, if it was registered. @default none */
  readonly tracing?: Tracing
  /** Nodes of one graph's run at the same time; those that wait for people do not count. @default 8 */
  readonly maxParallel?: number
  /** @default silent */
  readonly logger?: Logger
  /** Milliseconds since the epoch. @default Date.now */
  readonly now?: () => number
  /** @default crypto.randomUUID */
  readonly createId?: () => string
}

/**
 * Builds what runs the nodes of a graph (A10). A node begins as soon as all nodes before it have ended, and every end of
 * a node is a checkpoint: whoever goes on with the graph's run, after a crash or in another process, joins the attempts
 * that were begun and runs nothing twice.
 */
export function createDriveGraph(options: DriveGraphOptions): DriveGraph {
  return async (work) => {
    const { run, signal } = work
    const { store, logger = silentLogger } = options
    const shape = createGraphShape(run.graph)
    const checkpoint = await whileStoreFails({ logger }, () => readCheckpoint(store, run.id), signal)
    const conditions = createEdgeConditions(shape, logger)
    const evaluation = createGraphEvaluation(shape, run.task, checkpoint.ended, conditions.holds)
    const { stop, waits } = await drive(options, { work, shape, checkpoint, evaluation, conditions })
    const { results } = evaluation
    const result = toGraphResult({ run, shape, results, usage: checkpoint.children.usage(), stop, waits })
    const isTainted = run.graph.nodes.some(
      ({ id }) => checkpoint.children.isTainted(id) || (results.has(id) && isEvent(shape, id)),
    )
    return { result, isWaiting: stop === 'waiting', isTainted, cost: checkpoint.children.cost() }
  }
}

/** Between looks at nodes that wait for people while others run, in milliseconds. */
const lookEveryMs = 2000

interface Drive {
  readonly work: GraphWork
  readonly shape: GraphShape
  readonly checkpoint: GraphCheckpoint
  readonly evaluation: GraphEvaluation
  readonly conditions: EdgeConditions
}

/** Runs what is due until nothing is left to do here. @throws what keeps this process from going on. */
async function drive(options: DriveGraphOptions, parts: Drive): Promise<GraphEnd> {
  const { signal } = parts.work
  const wakeup = createAutoResetEvent()
  const leaving = new AbortController()
  const stream = createStream(parts, options.store, wakeup.set)
  const nodes = createNodeRuns({
    context: toNodeContext(options, parts, leaving.signal, stream),
    maxParallel: options.maxParallel ?? 8,
    logger: options.logger ?? silentLogger,
    onOutcome: stream.onOutcome,
    onChange: wakeup.set,
  })
  const { runs, store } = options
  const stopListening = listen({ runs, store, nodes, signal, leaving, wake: wakeup.set })
  try {
    await stream.tellSettled()
    for (;;) {
      leaving.signal.throwIfAborted()
      if (nodes.failure) throw nodes.failure.error
      if (isCancelled(signal)) await nodes.cancelAll()
      nodes.queue(await stream.takeDue())
      nodes.begin()
      // What ended while something was awaited is looked at before anything is concluded from it.
      if ((await stream.save()) || (await nodes.revive()) || stream.isUnsaved || nodes.failure) {
        await stream.tellSettled()
        continue
      }
      if (nodes.isIdle) return { stop: stopOf(parts, nodes.isWaiting), waits: nodes.waits() }
      await wakeup.wait(Infinity, leaving.signal)
    }
  } finally {
    stopListening()
    leaving.abort(
      new RuntimeError(
        'cancelled',
        'Running a graph failed: another process has taken over the run. No action is needed.',
      ),
    )
    await nodes.settled()
  }
}

interface Listening {
  readonly runs: Pick<Runs, 'onEnded'>
  readonly store: StoreSignals
  readonly nodes: Pick<NodeRuns, 'hint' | 'hintAll' | 'knows' | 'isWaiting'>
  /** Of the graph's run. */
  readonly signal: AbortSignal
  /** Aborted when this process shall leave the run alone. */
  readonly leaving: AbortController
  readonly wake: () => void
}

/** Rings when something happened outside. @returns what ends it. */
function listen({ runs, store, nodes, signal, leaving, wake }: Listening): () => void {
  const onAbort = () => {
    if (!isCancelled(signal)) leaving.abort(signal.reason)
    wake()
  }
  const forgetRuns = runs.onEnded(({ id }) => {
    nodes.hint(id)
    wake()
  })
  // answers to waits of the graph and of its nodes
  const unsubscribe = store.subscribe((news) => {
    if (news.topic !== 'run' || !nodes.knows(news.runId)) return
    nodes.hint(news.runId)
    if (nodes.isWaiting) wake()
  })
  // What happens in another process may not be told here.
  const looking = setInterval(() => {
    nodes.hintAll()
    wake()
  }, lookEveryMs)
  signal.addEventListener('abort', onAbort)
  if (signal.aborted) onAbort()
  return () => {
    signal.removeEventListener('abort', onAbort)
    clearInterval(looking)
    unsubscribe()
    forgetRuns()
  }
}

function stopOf({ work, evaluation }: Drive, isWaiting: boolean): GraphStop {
  const results = work.run.graph.nodes.map(({ id }) => evaluation.results.get(id))
  const isWhole = results.every((result) => result !== undefined && result.code !== 'cancelled')
  // Who cancels when the last node has ended comes too late.
  if (isCancelled(work.signal) && !isWhole) return 'cancelled'
  return isWaiting ? 'waiting' : 'done'
}

/** The events of the graph's stream, each told once, whoever works on the run. */
function createStream(
  { work, checkpoint, evaluation, conditions }: Drive,
  store: Pick<RunStore, 'listWaitsOf'>,
  onChange: () => void,
) {
  const { announced, asked, settled, begun } = checkpoint
  let isUnsaved = false
  const push: GraphWork['push'] = (event) => {
    work.push(event)
    isUnsaved = true
    onChange()
  }
  const onOutcome: NodeRunsOptions['onOutcome'] = (_, outcome) => {
    if ('result' in outcome) {
      evaluation.end(outcome.result)
      return push({ event: 'node_done', data: outcome.result })
    }
    // A wait may belong to a run below that of the node.
    for (const wait of outcome.waiting.waits) {
      if (asked.has(wait.id)) continue
      asked.set(wait.id, wait.run_id)
      for (const event of toEvents(wait, work.run.id)) push(event)
    }
  }
  const onAttempt: NodeContext['onAttempt'] = (node, runId, attempt) => {
    const isKnown = runId === undefined ? (begun.get(node.id) ?? 0) >= attempt : announced.has(runId)
    if (isKnown) return
    if (runId === undefined) begun.set(node.id, attempt)
    else announced.add(runId)
    const run = runId !== undefined && { run_id: runId }
    push({ event: 'node_start', data: { node_id: node.id, ...subjectOf(node), ...run, attempt } })
  }
  return {
    onOutcome,
    onAttempt,
    onItem(result: NodeResult) {
      evaluation.end(result)
      push({ event: 'node_done', data: result })
    },
    async takeDue() {
      // a node may end while conditions are checked
      while (conditions.isBehind(evaluation.results)) await conditions.prepare(evaluation.results)
      const { runs, skips } = evaluation.takeDue()
      for (const skipped of skips) push({ event: 'node_done', data: skipped })
      return runs
    },
    /** Tells how waits ended that were announced, each once. */
    async tellSettled() {
      const open = [...asked].filter(([id]) => !settled.has(id))
      if (open.length === 0) return
      const ids = new Set(open.map(([id]) => id))
      for (const wait of await store.listWaitsOf([...new Set(open.map(([, runId]) => runId))])) {
        if (wait.status === 'open' || !ids.has(wait.id)) continue
        settled.add(wait.id)
        push({ event: 'wait_settled', data: { wait: toWait(wait) } })
      }
    },
    get isUnsaved() {
      return isUnsaved
    },
    /** @returns whether there was anything to keep. */
    async save() {
      if (!isUnsaved) return false
      isUnsaved = false
      await work.save()
      return true
    },
  }
}

function toNodeContext(
  options: DriveGraphOptions,
  { work, shape, checkpoint, evaluation }: Drive,
  leaving: AbortSignal,
  { onAttempt, onItem }: Pick<NodeContext, 'onAttempt' | 'onItem'>,
): NodeContext {
  const { store, now = Date.now, createId = () => crypto.randomUUID() } = options
  const { run, redact, signal } = work
  const { children, begun } = checkpoint
  return {
    runs: options.runs,
    store,
    run,
    children,
    functions: options.functions ?? noFunctions,
    tracing: options.tracing,
    redact,
    now,
    timestamp: () => new Date(now()).toISOString(),
    createId,
    leaving,
    stopping: AbortSignal.any([signal, leaving]),
    isCancelled: () => isCancelled(signal),
    isTainted: (id) =>
      run.tainted ||
      [...shape.ancestors(nodeIdOf(shape.ordered, id))].some(
        (before) => children.isTainted(before) || isEvent(shape, before),
      ),
    begun: (id) => begun.get(id) ?? 0,
    wasBegun: (id) => begun.has(id) || children.attempt(id, 1) !== undefined,
    ended: (id) => evaluation.results.get(id),
    onAttempt,
    onItem,
    keep: () => work.save(),
    open: (wait, isKnown) => work.open(wait, isKnown),
  }
}

/** Whether the data of a node is that of an event, which a stranger may have sent. */
const isEvent = (shape: GraphShape, nodeId: string) =>
  shape.ordered.some(({ id, wait }) => id === nodeId && wait?.event !== undefined)

const noFunctions = createNodeFunctions(0)

/** Whether somebody wants the run to end, rather than this process to leave it. */
function isCancelled({ aborted, reason }: AbortSignal): boolean {
  return aborted && RuntimeError.is(reason) && reason.code === 'cancelled'
}

/** How a graph's run stopped. */
type GraphStop = 'done' | 'waiting' | 'cancelled'

/** The same with what it waits for. */
interface GraphEnd {
  readonly stop: GraphStop
  readonly waits: readonly Wait[]
}

/** What a graph's run has come to. */
interface GraphState extends GraphEnd {
  readonly run: Pick<StoredGraphRun, 'id' | 'graph'>
  readonly shape: GraphShape
  readonly results: ReadonlyMap<string, NodeResult>
  readonly usage: Usage
}

/**
 * The result of a graph's run (A10). `success`: no node failed, also where the graph goes on without a node that did;
 * `output`: the text of the only sink, or the texts of all sinks that completed, with an empty line between them.
 */
function toGraphResult({ run, shape, results, usage, stop, waits }: GraphState): GraphRunResult {
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
    stop_reason: stopReasonOf(stop, waits, problem),
    ...(stop === 'waiting' && { waits: [...waits] }),
    output: shape.sinks.flatMap(({ id }) => completed.get(id) ?? []).join('\n\n'),
    ...problem,
    outputs: Object.fromEntries(completed),
    run_id: run.id,
    graph_id: run.graph.id,
    node_results: nodes,
    usage,
  }
}

function stopReasonOf(stop: GraphStop, waits: readonly Wait[], problem: object | undefined): GraphStopReason {
  if (stop === 'waiting') return waits.some(({ kind }) => kind === 'approval') ? 'approval' : 'waiting'
  if (stop === 'cancelled') return 'cancelled'
  return problem ? 'error' : 'done'
}

function problemOf(
  stop: GraphStop,
  nodes: readonly NodeResult[],
): { error: string; code: string } | undefined {
  if (stop === 'cancelled') return { error: 'The run of the graph was canceled', code: 'cancelled' }
  if (stop === 'waiting') return undefined
  const failed = nodes.filter(({ status }) => status === 'failed')
  // Whoever thinks of trying again has to know that an effect is uncertain.
  const first = failed.find(({ code }) => code === 'effect_uncertain') ?? failed[0]
  if (!first) return undefined
  const others = failed.length > 1 ? ` (and ${failed.length - 1} more)` : ''
  const { node_id: id, error = 'unknown error', code = 'run_error' } = first
  return { error: `Running the graph failed: node "${id}" failed: ${error}${others}`, code }
}

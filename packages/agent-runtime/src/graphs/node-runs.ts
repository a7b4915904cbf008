import type { Wait } from '@homeward/contract/agent-platform'
import { untilAborted } from '@homeward/kit'
import type { Logger } from '../ports/logger.ts'
import { whileStoreFails } from '../concurrency/while-store-fails.ts'
import { RuntimeError } from '../ports/runtime-error.ts'
import { waitsIn } from '../ports/waiting-agent.ts'
import type { DueNode } from './graph-evaluation.ts'
import { isItemOf } from './node-subject.ts'
import type { NodeContext, NodeOutcome, NodeWait } from './node-context.ts'
import { runNode } from './run-node.ts'

/** What {@link createNodeRuns} is built from. */
export interface NodeRunsOptions {
  readonly context: NodeContext
  readonly maxParallel: number
  readonly logger: Logger
  readonly onOutcome: (due: DueNode, outcome: NodeOutcome) => void
  /** Something happened that may let the graph go on. */
  readonly onChange: () => void
}

/** The nodes of one graph's run that are under way, or wait for a place or for people. */
export interface NodeRuns {
  queue(due: readonly DueNode[]): void
  /** Begins what is queued, as far as there are places. */
  begin(): void
  /** Ends the runs of all nodes, those that wait for people too. */
  cancelAll(): Promise<void>
  /** Whether a run is that of the graph, or one that was begun for a node. */
  knows(runId: string): boolean
  /** A run has ended or got an answer, maybe one that a node waits for. */
  hint(runId: string): void
  /** Any run that a node waits for may have ended. */
  hintAll(): void
  /** Queues nodes that waited and do not any more. @returns whether there are any. */
  revive(): Promise<boolean>
  /** Whether nothing is under way or queued. */
  readonly isIdle: boolean
  /** Whether nodes wait. */
  readonly isWaiting: boolean
  /** What they wait for. */
  waits(): readonly Wait[]
  /** What keeps the graph from going on here. */
  readonly failure: { readonly error: unknown } | undefined
  /** Resolves once nothing is under way. */
  settled(): Promise<void>
}

export function createNodeRuns({
  context,
  maxParallel,
  logger,
  onOutcome,
  onChange,
}: NodeRunsOptions): NodeRuns {
  const { children, isCancelled } = context
  const queued: DueNode[] = []
  const running = new Map<string, Promise<void>>()
  const waiting = new Map<string, { readonly due: DueNode } & NodeWait>()
  const hints = new Set<string>()
  /** Runs that were begun or joined here, by the id of their node. */
  const underWay = new Map<string, string>()
  let isCancelling = false
  let failure: NodeRuns['failure']

  const own: NodeContext = {
    ...context,
    onAttempt(node, runId, attempt) {
      if (runId !== undefined) underWay.set(node.id, runId)
      context.onAttempt(node, runId, attempt)
    },
  }

  const patiently = <Result>(work: () => Promise<Result>) =>
    whileStoreFails({ logger }, work, context.leaving)

  async function run(due: DueNode): Promise<void> {
    try {
      // What was begun of it is joined: nothing is done twice.
      const outcome = await patiently(() => runNode(own, due))
      if ('result' in outcome) forget(underWay, due.node.id)
      else waiting.set(due.node.id, { due, ...outcome.waiting })
      onOutcome(due, outcome)
    } catch (error) {
      failure ??= { error }
    } finally {
      running.delete(due.node.id)
      onChange()
    }
  }

  /** While others run, only a hint is followed; before this process lets go, all are looked at. */
  const isWorthALook = (runId: string) => running.size === 0 || hints.has(runId) || isCancelled()

  return {
    queue: (due) => void queued.push(...due),
    begin() {
      while (running.size < maxParallel) {
        const due = queued.shift()
        if (!due) return
        const { id } = due.node
        // A graph that was cancelled begins nothing; what was begun is brought to its end.
        if (!isCancelled() || context.wasBegun(id)) running.set(id, run(due))
      }
    },
    async cancelAll() {
      if (isCancelling) return
      isCancelling = true
      const ids = new Set([...underWay.values(), ...children.open().map(({ id }) => id)])
      await Promise.all([...ids].map((id) => cancel(context, logger, id)))
    },
    knows: (runId) => runId === context.run.id || [...underWay.values()].includes(runId),
    hint: (runId) => void hints.add(runId),
    hintAll() {
      for (const { runIds } of waiting.values()) for (const runId of runIds) hints.add(runId)
    },
    async revive() {
      let isAny = false
      for (const [id, { due, ...before }] of waiting) {
        if (!before.runIds.some(isWorthALook)) continue
        for (const runId of before.runIds) hints.delete(runId)
        const wait = await patiently(() => waitOf(context, before))
        if (wait) {
          // for something else than before, maybe
          waiting.set(id, { due, ...wait })
          onOutcome(due, { waiting: wait })
          continue
        }
        waiting.delete(id)
        queued.push(due)
        isAny = true
      }
      return isAny
    },
    get isIdle() {
      return running.size === 0 && queued.length === 0
    },
    get isWaiting() {
      return waiting.size > 0
    },
    waits: () => [...waiting.values()].flatMap(({ waits }) => waits),
    get failure() {
      return failure
    },
    settled: async () => void (await Promise.all(running.values())),
  }
}

/** A node has ended, and all its items. */
function forget(underWay: Map<string, string>, nodeId: string): void {
  for (const id of underWay.keys()) if (id === nodeId || isItemOf(nodeId, id)) underWay.delete(id)
}

/** What a node still waits for; undefined if it, or one of its runs, waits no more. */
async function waitOf(context: NodeContext, before: NodeWait): Promise<NodeWait | undefined> {
  const { store, run } = context
  const { runIds, nodeId } = before
  if (nodeId !== undefined) {
    if (context.isCancelled()) return undefined
    // only this one: payloads may be large, and a graph may have many
    const filter = { id: before.waits[0]?.id ?? '', runId: run.id, status: 'open' } as const
    return (await store.listWaits(filter, { limit: 1 })).rows.length > 0 ? before : undefined
  }
  const waits: Wait[] = []
  for (const runId of runIds) {
    const child = await store.findRun(runId)
    if (child?.status !== 'waiting') return undefined
    waits.push(...waitsIn(child.result))
  }
  return { runIds, waits }
}

/** Ends the run of a node, as well as that can be done. */
async function cancel({ runs, leaving }: NodeContext, logger: Logger, runId: string): Promise<void> {
  try {
    await untilAborted(runs.cancel(runId), leaving)
  } catch (error) {
    if (leaving.aborted) return
    const reason = RuntimeError.is(error) ? error.message : 'unexpected'
    logger.warn('Canceling the run of a node failed', { runId, reason })
  }
}

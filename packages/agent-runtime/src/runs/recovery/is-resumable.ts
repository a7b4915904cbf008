import { hasEnded, nodeIdOf } from '../graphs/graph-driver.ts'
import type { StoredAgentRun, StoredGraphRun, StoredRun } from '../../store/ports/run-store.ts'
import { childrenOf } from '../find-run.ts'
import type { RunsContext } from '../runs-options.ts'

/** Whether a waiting run has got what it waits for. */
export const isResumable = (context: RunsContext, run: StoredRun): Promise<boolean> =>
  run.kind === 'graph' ? isGraphResumable(context, run) : isAgentResumable(context, run)

/** Whether the newest attempt of a node has ended, and the graph does not know it yet. */
async function isGraphResumable({ store }: RunsContext, run: StoredGraphRun): Promise<boolean> {
  const known = new Set(run.result?.node_results.map(({ node_id }) => node_id))
  const begun = new Set<string>()
  const open = new Set<string>()
  for await (const child of childrenOf(store, run.id)) {
    const nodeId = nodeIdOf(run.id, child)
    if (nodeId === undefined || known.has(nodeId)) continue
    begun.add(nodeId)
    if (!hasEnded(child)) open.add(nodeId)
  }
  const own = (await store.listWaitsOf([run.id])).filter(({ callId = '' }) => !known.has(callId))
  if (own.some(({ status }) => status !== 'open')) return true
  if (open.size === 0) return own.length === 0
  const ended = [...begun].filter((id) => !open.has(id))
  return ended.length > 0 && !(await areItems(store, run.id, ended))
}

/** Whether all of these are items of a node, whose ends stand in the stream alone. */
async function areItems(
  store: RunsContext['store'],
  runId: string,
  ended: readonly string[],
): Promise<boolean> {
  const told = new Set<string>()
  for (const { events } of await store.listRunEvents(runId, 0)) {
    for (const { event, data } of events) if (event === 'node_done') told.add(data.node_id)
  }
  return ended.every((id) => told.has(id))
}

async function isAgentResumable({ store }: RunsContext, run: StoredAgentRun): Promise<boolean> {
  const waits = await store.listWaitsOf([run.id])
  if (waits.some(({ status }) => status === 'open')) return false
  // Settled, but it has not gone on yet; or all that it waits for belongs to runs below it.
  const { asked, settled = [] } = run.progress
  const own = new Set(waits.map(({ id }) => id))
  if (asked?.some((id) => own.has(id) && !settled.includes(id)) ?? true) return true
  for await (const child of childrenOf(store, run.id)) if (!hasEnded(child)) return false
  return true
}

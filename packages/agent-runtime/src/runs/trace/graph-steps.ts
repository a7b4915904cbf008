import type { NodeResult, StepAttempt, TraceStep, Usage } from '@homeward/contract/agent-platform'
import type { Redactor } from '../../secrets/redact.ts'
import type { RunStore, StoredGraphRun, StoredRun } from '../../store/ports/run-store.ts'
import { addCost, addTokens, toCost } from '../cost.ts'
import { childrenOf } from '../find-run.ts'
import { nodeIdOf } from '../graphs/graph-driver.ts'

type GraphStep = Omit<TraceStep, 'index' | 'cut'>

/** The steps of a graph's run: its nodes in the order in which they began, each with the runs of its attempts. */
export async function toGraphSteps(
  store: Pick<RunStore, 'listRuns' | 'listRunEvents' | 'listWaitsOf'>,
  run: StoredGraphRun,
  redact: Redactor,
): Promise<GraphStep[]> {
  const ended = new Map<string, NodeResult>()
  const begun = new Set<string>()
  for (const { events } of await store.listRunEvents(run.id, 0)) {
    for (const { event, data } of events) {
      if (event === 'node_start') begun.add(data.node_id)
      if (event === 'node_done') ended.set(data.node_id, data)
    }
  }
  if (run.result) for (const node of run.result.node_results) ended.set(node.node_id, node)
  const children = await Array.fromAsync(childrenOf(store, run.id))
  const byNode = Map.groupBy(children.toReversed(), (child) => nodeIdOf(run.id, child) ?? '')
  const waits = await store.listWaitsOf([run.id])
  const own = new Set(
    waits.flatMap(({ callId, status }) => (status === 'open' && callId !== undefined ? [callId] : [])),
  )
  const reused = new Set(run.rerunOf ? takenOver(run, ended, begun) : [])
  const ids = new Set([...reused, ...begun, ...byNode.keys(), ...ended.keys()])
  ids.delete('')
  return [...ids].map((id) => {
    const step = toStep(id, ended.get(id), byNode.get(id) ?? [], redact, own.has(id))
    return reused.has(id) ? { ...step, attempts: attemptsBefore(ended.get(id)), reused: true } : step
  })
}

/** Nodes that the run took over from the run before: they ended without a begin. */
function takenOver(
  { createdAt }: StoredGraphRun,
  ended: ReadonlyMap<string, NodeResult>,
  begun: ReadonlySet<string>,
): string[] {
  return [...ended].flatMap(([id, { started_at: startedAt }]) =>
    !begun.has(id) && startedAt !== undefined && startedAt <= createdAt ? [id] : [],
  )
}

function toStep(
  id: string,
  node: NodeResult | undefined,
  runs: readonly StoredRun[],
  redact: Redactor,
  isOpen: boolean,
): GraphStep {
  const last = runs.at(-1)
  const { tokens, cost } = sumOf(runs)
  const startedAt = node?.started_at ?? runs[0]?.createdAt
  const finishedAt = node?.finished_at
  const isWaiting = isOpen || last?.status === 'waiting'
  return {
    id,
    type: 'node',
    name: id,
    status: node ? node.status : isWaiting ? 'waiting' : 'running',
    ...(last && { input: redact.text(last.progress.input?.task ?? last.task) }),
    ...(node?.status === 'completed' && { output: redact.text(node.output) }),
    ...(node?.error !== undefined && { error: redact.text(node.error) }),
    attempts: runs.map((run) => toAttempt(run, redact)),
    ...(runs.length > 0 && { tokens }),
    ...toCost(cost),
    ...(startedAt !== undefined && { started_at: startedAt }),
    ...(finishedAt !== undefined && { finished_at: finishedAt }),
    ...(startedAt !== undefined &&
      finishedAt !== undefined && {
        duration_ms: Math.max(0, Date.parse(finishedAt) - Date.parse(startedAt)),
      }),
  }
}

/** The last attempt of a node, in the run before. */
const attemptsBefore = (node: NodeResult | undefined): StepAttempt[] =>
  node?.run_id === undefined ? [] : [{ run_id: node.run_id }]

function sumOf(runs: readonly StoredRun[]) {
  const tokens: Usage = { input_tokens: 0, output_tokens: 0 }
  for (const { progress } of runs) addTokens(tokens, progress.usage)
  return {
    tokens,
    cost: runs.reduce((sum, { progress }) => addCost(sum, progress.cost), runs[0]?.progress.cost && noCost),
  }
}

const noCost = { microUsd: 0 }

function toAttempt({ id, createdAt, finishedAt, result }: StoredRun, redact: Redactor): StepAttempt {
  return {
    run_id: id,
    started_at: createdAt,
    ...(finishedAt !== undefined && { finished_at: finishedAt }),
    ...(result?.error !== undefined && { error: redact.text(result.error) }),
  }
}

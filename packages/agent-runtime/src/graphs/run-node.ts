import { untilAborted } from '@homeward/kit'
import type { Approval, GraphNode, NodeResult } from '@homeward/contract/agent-platform'
import type { RunStore, StoredAgentRun, StoredGraphRun } from '../store/ports/run-store.ts'
import type { Redactor } from '../secrets/redact.ts'
import type { RunHandle, Runs } from '../runs/runs.ts'
import { RuntimeError, type RuntimeErrorCode } from '../ports/runtime-error.ts'
import { attemptKey, hasEnded } from '../runs/graphs/node-attempts.ts'
import type { GraphChildren } from './graph-checkpoint.ts'
import type { DueNode } from './graph-evaluation.ts'

/** What a node's run needs of its graph's run. */
export interface NodeContext {
  readonly runs: Pick<Runs, 'start' | 'attach' | 'cancel'>
  readonly store: Pick<RunStore, 'findRun'>
  readonly run: StoredGraphRun
  readonly children: GraphChildren
  readonly redact: Redactor
  readonly timestamp: () => string
  /** Aborts when this process leaves the graph's run alone: the nodes' runs go on. */
  readonly leaving: AbortSignal
  /** Whether the graph's run is to end. */
  readonly isCancelled: () => boolean
  readonly isTainted: (nodeId: string) => boolean
  /** An attempt is under way, as this run. */
  readonly onAttempt: (node: GraphNode, runId: string, attempt: number) => void
}

/** How far a node came. */
export type NodeOutcome =
  | { readonly result: NodeResult }
  /** Its run waits for people. */
  | { readonly waiting: { readonly runId: string; readonly approvals: readonly Approval[] } }

/** What has nothing to do with the node: the graph's run cannot go on here. */
const foreignCodes: ReadonlySet<RuntimeErrorCode> = new Set(['closed', 'storage_error', 'cancelled'])

/** What the same attempt would end with again, or what a person has to decide about. */
const finalCodes: ReadonlySet<string> = new Set<RuntimeErrorCode>([
  'cancelled',
  'effect_uncertain',
  'budget_exceeded',
  'budget_unknown',
  'not_found',
  'validation_error',
  'model_not_configured',
  'forbidden',
  'conflict',
])

/**
 * Runs a node, or joins what was begun of it: attempt by attempt, each a run of its agent, until one succeeds or none is
 * left (A10).
 *
 * @throws what keeps the graph's run from going on here.
 */
export async function runNode(context: NodeContext, due: DueNode): Promise<NodeOutcome> {
  const { node } = due
  const attempts = (node.retries ?? 0) + 1
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await makeAttempt(context, due, attempt)
    if ('waiting' in outcome) return outcome
    const { success, code } = outcome.result
    if (success || attempt >= attempts || (code !== undefined && finalCodes.has(code))) return outcome
    if (context.isCancelled() && !context.children.attempt(node.id, attempt + 1)) return outcome
  }
}

async function makeAttempt(context: NodeContext, due: DueNode, attempt: number): Promise<NodeOutcome> {
  const { node } = due
  const known = context.children.attempt(node.id, attempt)
  let child = known && !hasEnded(known) ? await findChild(context, known.id) : known
  for (;;) {
    if (child) {
      context.children.set(child)
      context.onAttempt(node, child.id, attempt)
      if (hasEnded(child)) return { result: toNodeResult(context, node, attempt, child) }
      if (child.status === 'waiting') {
        return { waiting: { runId: child.id, approvals: child.result?.approvals ?? [] } }
      }
    }
    let handle: RunHandle
    try {
      handle = await (child ? context.runs.attach(child.id) : start(context, due, attempt))
    } catch (error) {
      if (!RuntimeError.is(error) || foreignCodes.has(error.code)) throw error
      return { result: toFailedStart(context, node, attempt, error) }
    }
    context.onAttempt(node, handle.runId, attempt)
    if (context.isCancelled()) await untilAborted(context.runs.cancel(handle.runId), context.leaving)
    await untilAborted(handle.result, context.leaving)
    // A run whose approvals were decided meanwhile is running again: it is joined once more.
    child = await findChild(context, handle.runId)
  }
}

async function start({ runs, run, isTainted }: NodeContext, { node, task }: DueNode, attempt: number) {
  const request = {
    agent_id: node.agent,
    task: task(),
    // the answer is in the graph's result; conversations are for people
    store: false,
    idempotency_key: attemptKey(run.id, node.id, attempt),
    ...(run.userId !== undefined && { user_id: run.userId }),
    ...(run.metadata && { metadata: run.metadata }),
  }
  const { accounts, depth } = run
  return runs.start(request, { parentRunId: run.id, depth, tainted: isTainted(node.id), accounts })
}

async function findChild({ store }: NodeContext, runId: string): Promise<StoredAgentRun> {
  const child = await store.findRun(runId)
  if (child?.kind === 'agent') return child
  throw new RuntimeError('storage_error', 'Running a graph: the run of a node is not in the store any more')
}

function toNodeResult(
  { children, redact, timestamp }: NodeContext,
  node: GraphNode,
  attempt: number,
  child: StoredAgentRun,
): NodeResult {
  const { success = false, output = '', error = 'the run failed', code = 'run_error' } = child.result ?? {}
  const { data } = child.result ?? {}
  return {
    node_id: node.id,
    agent_id: node.agent,
    success,
    status: success ? 'completed' : 'failed',
    output: redact.text(output),
    ...(data !== undefined && { data: redact.json(data) }),
    ...(!success && { error: redact.text(error), code }),
    run_id: child.id,
    attempts: attempt,
    started_at: (children.attempt(node.id, 1) ?? child).createdAt,
    finished_at: child.finishedAt ?? timestamp(),
  }
}

/** A node whose run could not even begin: its agent is gone, or its task is too long. */
function toFailedStart(
  { children, redact, timestamp }: NodeContext,
  node: GraphNode,
  attempt: number,
  { message, code }: RuntimeError,
): NodeResult {
  const at = timestamp()
  return {
    node_id: node.id,
    agent_id: node.agent,
    success: false,
    status: 'failed',
    output: '',
    error: redact.text(message),
    code,
    attempts: attempt,
    started_at: children.attempt(node.id, 1)?.createdAt ?? at,
    finished_at: at,
  }
}

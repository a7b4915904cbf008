import type { NodeResult } from '@homeward/contract/agent-platform'
import { RuntimeError, type RuntimeErrorCode } from '../ports/runtime-error.ts'
import type { DueNode } from './graph-evaluation.ts'
import type { NodeContext, NodeOutcome } from './node-context.ts'
import { runChild } from './run-child.ts'
import { runFunction } from './run-function.ts'
import { runMap } from './run-map.ts'
import { subjectOf } from './node-subject.ts'

/** What has nothing to do with the node: the graph's run cannot go on here. */
const foreignCodes: ReadonlySet<RuntimeErrorCode> = new Set(['closed', 'storage_error', 'cancelled'])

/** What the same attempt would end with again, or what a person has to decide about. */
const finalCodes: ReadonlySet<string> = new Set<RuntimeErrorCode>([
  'cancelled',
  'effect_uncertain',
  'guard_refused',
  'budget_exceeded',
  'budget_unknown',
  'not_found',
  'validation_error',
  'model_not_configured',
  'forbidden',
  'conflict',
])

/**
 * Runs a node, or joins what was begun of it: attempt by attempt until one succeeds or none is left (A10). An attempt is a run of
 * the node's agent or graph, or a call of its function.
 *
 * @throws what keeps the graph's run from going on here.
 */
export const runNode = (context: NodeContext, due: DueNode): Promise<NodeOutcome> =>
  due.node.map ? runMap(context, due, runAttempts) : runAttempts(context, due)

async function runAttempts(context: NodeContext, due: DueNode): Promise<NodeOutcome> {
  const { node } = due
  const waits = node.wait !== undefined || node.ask !== undefined
  const attempts = waits ? 1 : (node.retries ?? 0) + 1
  const isFunction = node.function !== undefined
  // the call of an attempt that failed before a crash is not made again
  for (let attempt = isFunction ? Math.max(1, context.begun(node.id)) : 1; ; attempt += 1) {
    const outcome = await makeAttempt(context, due, attempt)
    if ('waiting' in outcome) return outcome
    const { success, code } = outcome.result
    if (success || attempt >= attempts || (code !== undefined && finalCodes.has(code))) return outcome
    if (context.isCancelled() && !context.children.attempt(node.id, attempt + 1)) return outcome
  }
}

async function makeAttempt(context: NodeContext, due: DueNode, attempt: number): Promise<NodeOutcome> {
  try {
    if (due.node.wait ?? due.node.ask) return await (await import('./run-wait.ts')).runWait(context, due)
    if (due.node.function === undefined) return await runChild(context, due, attempt)
    return { result: await runFunction(context, due, attempt) }
  } catch (error) {
    if (!RuntimeError.is(error) || foreignCodes.has(error.code)) throw error
    return { result: toFailedStart(context, due, attempt, error) }
  }
}

/** A node that could not even begin: its agent is gone, or its task is too long. */
function toFailedStart(
  { children, redact, timestamp }: NodeContext,
  { node }: DueNode,
  attempt: number,
  { message, code }: RuntimeError,
): NodeResult {
  const at = timestamp()
  return {
    node_id: node.id,
    ...subjectOf(node),
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

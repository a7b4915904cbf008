import type { Json, NodeResult, Wait } from '@homeward/contract/agent-platform'
import { untilAborted } from '@homeward/kit'
import { RuntimeError } from '../ports/runtime-error.ts'
import type { DueNode } from './graph-evaluation.ts'
import type { NodeContext, NodeOutcome } from './node-context.ts'
import { itemIdOf, subjectOf } from './node-subject.ts'

type RunOne = (context: NodeContext, due: DueNode) => Promise<NodeOutcome>

/** Longest list of results, in characters of JSON. */
const maxListChars = 4_000_000

/**
 * Runs a node once for each item of its list, some at the same time. Every item that ends is a checkpoint, so items that have ended
 * are not run again. After an item has failed no other begins.
 *
 * @throws what keeps the graph's run from going on here.
 */
export async function runMap(context: NodeContext, due: DueNode, runOne: RunOne): Promise<NodeOutcome> {
  const startedAt = context.timestamp()
  context.onAttempt(due.node, undefined, 1)
  let items: readonly Json[]
  try {
    items = due.items()
  } catch (error) {
    if (!RuntimeError.is(error)) throw error
    return { result: toResult(context, due, startedAt, { error: error.message, code: error.code }) }
  }
  const state = await runItems(context, due, items, runOne)
  const { results, runIds, waits } = state
  const failed = results.find((result) => result?.success === false)
  if (failed) {
    for (const runId of runIds) await untilAborted(context.runs.cancel(runId), context.leaving)
    const error = `item ${failed.node_id.slice(due.node.id.length + 1)} failed: ${failed.error ?? 'unknown'}`
    return { result: toResult(context, due, startedAt, { error, code: failed.code ?? 'run_error' }) }
  }
  if (runIds.length > 0) return { waiting: { runIds, waits } }
  if (results.some((result) => result === undefined)) {
    const end = { error: 'the run was canceled', code: 'cancelled' }
    return { result: toResult(context, due, startedAt, end) }
  }
  const list = results.map((result): Json => result?.data ?? result?.output ?? null)
  if (JSON.stringify(list).length > maxListChars) {
    const error = `the results of its items must have at most ${maxListChars} characters of JSON in total. Return less per item`
    return { result: toResult(context, due, startedAt, { error, code: 'validation_error' }) }
  }
  return { result: toResult(context, due, startedAt, { data: list }) }
}

interface Items {
  readonly results: (NodeResult | undefined)[]
  readonly runIds: string[]
  readonly waits: Wait[]
}

async function runItems(
  context: NodeContext,
  { node, task, ...others }: DueNode,
  items: readonly Json[],
  runOne: RunOne,
): Promise<Items> {
  const { map, ...one } = node
  const ids = items.map((_, index) => itemIdOf(node.id, index))
  const state: Items = { results: ids.map(context.ended), runIds: [], waits: [] }
  const hasFailed = () => state.results.some((result) => result?.success === false)
  let next = 0

  async function work(): Promise<void> {
    while (next < items.length && !hasFailed()) {
      const index = next
      next += 1
      const id = ids[index] ?? ''
      const item = items[index] ?? null
      if (state.results[index]) continue
      // what was begun of a canceled run is brought to its end
      if (context.isCancelled() && !context.children.attempt(id, 1)) continue
      const due: DueNode = { ...others, node: { ...one, id }, task: () => task(item), item, index }
      const outcome = await runOne(context, due)
      if ('result' in outcome) {
        state.results[index] = outcome.result
        context.onItem(outcome.result)
      } else {
        state.runIds.push(...outcome.waiting.runIds)
        state.waits.push(...outcome.waiting.waits)
      }
    }
  }

  const workers = Array.from({ length: Math.min(map?.concurrency ?? 4, items.length) }, work)
  const ends = await Promise.allSettled(workers)
  const broken = ends.find((end) => end.status === 'rejected')
  if (broken) throw broken.reason
  return state
}

type MapEnd = { readonly data: Json } | { readonly error: string; readonly code: string }

function toResult(
  { redact, timestamp }: NodeContext,
  { node }: DueNode,
  startedAt: string,
  end: MapEnd,
): NodeResult {
  const success = 'data' in end
  return {
    node_id: node.id,
    ...subjectOf(node),
    success,
    status: success ? 'completed' : 'failed',
    output: success ? JSON.stringify(end.data) : '',
    ...('data' in end ? end : { error: redact.text(end.error), code: end.code }),
    attempts: 1,
    started_at: startedAt,
    finished_at: timestamp(),
  }
}

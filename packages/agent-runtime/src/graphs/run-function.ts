import { untilAborted } from '@homeward/kit'
import type { Json, NodeResult } from '@homeward/contract/agent-platform'
import { startLimit } from '../concurrency/start-limit.ts'
import { cut, toBoundedJson } from '../json/to-json.ts'
import { reasonOf } from '../ports/reason-of.ts'
import { RuntimeError } from '../ports/runtime-error.ts'
import { missingFunction } from './assert-functions.ts'
import { toText, type DueNode } from './graph-evaluation.ts'
import type { NodeContext } from './node-context.ts'
import type { KnownFunction } from './node-functions.ts'
import { subjectOf } from './node-subject.ts'

/** Longest result of a function, in characters of JSON. */
const maxResultChars = 1_000_000
const maxErrorChars = 4000

/**
 * Calls the function of a node. That it begins is stored before: whoever resumes the run knows that it was begun.
 *
 * @throws {RuntimeError} `validation_error`; the reason for which this process leaves the run.
 */
export async function runFunction(context: NodeContext, due: DueNode, attempt: number): Promise<NodeResult> {
  const { node } = due
  const wasInterrupted = context.begun(node.id) >= attempt
  const startedAt = context.timestamp()
  const known = await context.functions.find(node.function ?? '', context.stopping)
  context.leaving.throwIfAborted()
  if (!known) {
    const problem = missingFunction(node.id, node.function ?? '')
    throw new RuntimeError('validation_error', `Running a node failed: ${problem}.`)
  }
  const input = { text: due.task(due.item), graphInput: context.run.task, nodes: due.values() }
  context.onAttempt(node, undefined, attempt)
  await context.keep()
  const work = () => call(context, due, known, { attempt, wasInterrupted, input })
  const { run, tracing } = context
  const traced = { kind: 'function', run, nodeId: node.id, name: node.function ?? '', attempt } as const
  const end = await (tracing?.current?.inside(traced, work) ?? work())
  return {
    node_id: node.id,
    ...subjectOf(node),
    success: end.error === undefined,
    status: end.error === undefined ? 'completed' : 'failed',
    output: end.data === undefined || end.data === null ? '' : toText(end.data),
    ...end,
    attempts: attempt,
    started_at: startedAt,
    finished_at: context.timestamp(),
  }
}

type CallEnd =
  | { readonly data: Json; readonly error?: undefined }
  | { readonly error: string; readonly code: string; readonly data?: undefined }

interface FunctionCall {
  readonly attempt: number
  readonly wasInterrupted: boolean
  readonly input: {
    readonly text: string
    readonly graphInput: string
    readonly nodes: Readonly<Record<string, Json>>
  }
}

async function call(
  context: NodeContext,
  { node, item, index }: DueNode,
  { call: work, timeoutMs }: KnownFunction,
  { attempt, wasInterrupted, input }: FunctionCall,
): Promise<CallEnd> {
  const { run, redact } = context
  const limit = startLimit(timeoutMs, context.stopping)
  try {
    limit.signal.throwIfAborted()
    const asked = {
      runId: run.id,
      graphId: run.graph.id,
      nodeId: node.id,
      ...(run.userId !== undefined && { userId: run.userId }),
      metadata: structuredClone(run.metadata ?? {}),
      attempt,
      wasInterrupted,
      idempotencyKey: `${run.id}:${node.id}`,
      tainted: context.isTainted(node.id),
      signal: limit.signal,
    }
    // a copy: what the function changes there must not reach what is stored
    const given = structuredClone({ ...input, ...(index !== undefined && { item, index }) })
    const value = await untilAborted((async () => work(given, asked))(), limit.signal)
    const data = toBoundedJson(value, Infinity)
    if (JSON.stringify(data).length <= maxResultChars) return { data: redact.json(data) }
    return {
      error: `its result must have at most ${maxResultChars} characters of JSON. Return less`,
      code: 'validation_error',
    }
  } catch (error) {
    context.leaving.throwIfAborted()
    if (context.isCancelled()) return { error: 'the run was canceled', code: 'cancelled' }
    if (limit.isOver()) return { error: `it took longer than ${timeoutMs} ms`, code: 'timeout' }
    const code = RuntimeError.is(error) ? error.code : 'run_error'
    return { error: cut(redact.text(reasonOf(error)), maxErrorChars), code }
  } finally {
    limit.end()
  }
}

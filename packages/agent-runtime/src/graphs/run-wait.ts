import type { Json, NodeResult } from '@homeward/contract/agent-platform'
import { RuntimeError } from '../ports/runtime-error.ts'
import type { StoredWait } from '../store/ports/wait.ts'
import { toWait } from '../store/wait-view.ts'
import { toText, type DueNode } from './graph-evaluation.ts'
import type { NodeContext, NodeOutcome } from './node-context.ts'
import { notATime, toTime } from './node-input.ts'

type NodeEnd = Pick<NodeResult, 'data' | 'error' | 'code'>

/**
 * Lets a node wait for an event, a time or a person. The wait is stored with the graph's run: whoever resumes the run, in
 * whatever process, finds it by the id of the node, open or settled.
 *
 * @throws {RuntimeError} `validation_error` if `until` is not a time.
 */
export async function runWait(context: NodeContext, due: DueNode): Promise<NodeOutcome> {
  const { node } = due
  const startedAt = context.timestamp()
  const known = await findOwnWait(context, node.id)
  if (context.isCancelled()) {
    if (known) context.tracing?.current?.waited(context.run.id, { ...known, status: 'cancelled' })
    return toOutcome(context, due, known?.createdAt ?? startedAt, {
      error: 'the run was canceled',
      code: 'cancelled',
    })
  }
  if (known && known.status !== 'open') {
    context.tracing?.current?.waited(context.run.id, known)
    return toOutcome(context, due, known.createdAt, endOf(known))
  }
  const wait = known ?? toStored(context, due, startedAt)
  if (isOver(wait, startedAt)) {
    if (known) context.tracing?.current?.waited(context.run.id, { ...known, status: 'expired' })
    return toOutcome(context, due, startedAt, { data: null })
  }
  if (!known) context.onAttempt(node, undefined, 1)
  await context.open(wait, known !== undefined)
  return { waiting: { runIds: [context.run.id], waits: [toWait(wait)], nodeId: node.id } }
}

/** The wait of a node, if it was opened. */
const findOwnWait = async ({ store, run }: NodeContext, nodeId: string) =>
  (await store.listWaitsOf([run.id])).find(({ callId }) => callId === nodeId)

const isOver = ({ event, kind, expiresAt = '' }: StoredWait, now: string) =>
  kind === 'event' && event === undefined && expiresAt <= now

function toStored(context: NodeContext, { node, fill }: DueNode, createdAt: string): StoredWait {
  const { run, createId, redact } = context
  const { wait, ask } = node
  const head = {
    id: createId(),
    runId: run.id,
    status: 'open',
    graphId: run.graph.id,
    ...(run.userId !== undefined && { userId: run.userId }),
    callId: node.id,
    createdAt,
  } as const
  const after = (seconds: number) => new Date(Date.parse(createdAt) + seconds * 1000).toISOString()
  if (ask) {
    const { message, schema, timeout, to } = ask
    return {
      ...head,
      kind: 'question',
      message: redact.text(fill(message)),
      ...(schema && { schema }),
      ...(to && { to: { channel: to.channel, conversationId: to.conversation_id } }),
      ...(timeout !== undefined && { expiresAt: after(timeout) }),
    }
  }
  const { event, match, timeout, seconds = 0, until } = wait ?? {}
  if (event === undefined)
    return { ...head, kind: 'event', expiresAt: until === undefined ? after(seconds) : readTime(fill(until)) }
  return {
    ...head,
    kind: 'event',
    event,
    ...(match && { match }),
    ...(timeout !== undefined && { expiresAt: after(timeout) }),
  }
}

/** @throws {RuntimeError} `validation_error` */
function readTime(text: string): string {
  const time = toTime(text)
  if (time !== undefined) return time
  throw new RuntimeError('validation_error', `Running a node failed: "until" ${notATime(text)}.`)
}

/** What came of a wait. */
function endOf({ status, data = null, reason, kind }: StoredWait): NodeEnd {
  if (status === 'answered') return { data }
  if (status === 'declined') return { data: { declined: true, ...(reason !== undefined && { reason }) } }
  if (status === 'cancelled') return { error: 'the wait was canceled', code: 'cancelled' }
  const error = kind === 'question' ? 'nobody answered in time' : 'the event did not come in time'
  return { error, code: 'wait_expired' }
}

const textOf = (data: Json | undefined) => (data === undefined || data === null ? '' : toText(data))

function toOutcome(context: NodeContext, { node }: DueNode, startedAt: string, end: NodeEnd): NodeOutcome {
  const isWhole = end.error === undefined
  return {
    result: {
      node_id: node.id,
      success: isWhole,
      status: isWhole ? 'completed' : 'failed',
      output: textOf(end.data),
      ...end,
      attempts: 1,
      started_at: startedAt,
      finished_at: context.timestamp(),
    },
  }
}

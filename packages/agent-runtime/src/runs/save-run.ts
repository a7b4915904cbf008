import type { Approval, RunEvent, RunResult, StopReason } from '@homeward/contract/agent-platform'
import type { ToolCallPart } from '../ports/message.ts'
import type { ConversationAppend } from '../ports/conversation-store.ts'
import type { RunStepWrite, StoredApproval } from '../ports/run-store.ts'
import { RuntimeError } from '../runtime-error.ts'
import { note, progressOf, type RunRecord } from './active-run.ts'
import type { RunEnd } from './run-turns.ts'
import type { RunsContext } from './runs-options.ts'

/**
 * Keeps what a turn has added, in one write.
 *
 * @throws {RuntimeError} `cancelled` when the run was ended elsewhere; what the store fails with.
 */
export async function saveStep(
  context: RunsContext,
  run: RunRecord,
  waitFor?: RunStepWrite['waitFor'],
  more: readonly RunEvent[] = [],
): Promise<void> {
  const write = { ...toWrite(context, run, more), ...(waitFor && { waitFor }) }
  if (!(await context.store.saveRunStep(write))) {
    throw new RuntimeError('cancelled', 'Running the agent: the run was ended elsewhere')
  }
  markSaved(run, more)
}

/** Stops the run until people have decided about these calls. */
export async function saveWaiting(
  context: RunsContext,
  run: RunRecord,
  calls: readonly ToolCallPart[],
): Promise<RunResult> {
  const createdAt = context.timestamp()
  const approvals = calls.map((call): StoredApproval => {
    const { id: callId, name: tool, args } = call
    return { id: context.createId(), runId: run.run.id, callId, tool, args, status: 'pending', createdAt }
  })
  // Nobody hears of an approval, or of the end, before it is kept: who answers at once has to find it.
  const asked = approvals.map(({ id, tool, args }): RunEvent => {
    note(run, 'approval.requested', createdAt, { approval_id: id, tool })
    return { event: 'approval', data: { id, tool, args: run.redact.json(args) } }
  })
  const result: RunResult = {
    ...toResult(run, { stop: 'approval', waiting: calls }),
    approvals: approvals.map((approval) => toApproval(approval)),
  }
  await saveStep(context, run, { approvals, result }, asked)
  return result
}

/**
 * Ends a run in one write with its turn for the conversation.
 *
 * @returns the result; the stored one when the run had been ended elsewhere.
 */
export async function saveFinish(
  context: RunsContext,
  run: RunRecord,
  end: Exclude<RunEnd, { stop: 'approval' }>,
): Promise<RunResult> {
  const result = toResult(run, end)
  const last = toLastEvent(result)
  const finishedAt = context.timestamp()
  const status = statusOf(end)
  const { stop_reason, turns, tool_calls } = result
  note(run, 'agent.completed', finishedAt, {
    status,
    stop_reason,
    turns,
    tool_calls,
    input_tokens: result.usage.input_tokens,
    output_tokens: result.usage.output_tokens,
    ...(result.error !== undefined && { error: result.error }),
  })
  const conversation = run.run.store ? toAppend(run, finishedAt) : undefined
  const isFirst = await context.store.finishRun({
    ...toWrite(context, run, [last]),
    status,
    result,
    finishedAt,
    ...(conversation && { conversation }),
  })
  if (!isFirst) return (await context.store.findRun(run.run.id))?.result ?? result
  markSaved(run, [last])
  return result
}

/** The last event of a run that has ended. */
export function toLastEvent(result: RunResult): RunEvent {
  const { output, turns, error = 'The run failed', code = 'run_error', run_id } = result
  if (result.success) return { event: 'done', data: { finalContent: output, turnCount: turns, ...result } }
  return { event: 'error', data: { message: error, code, run_id } }
}

export function toResult(run: RunRecord, end: RunEnd): RunResult {
  const error = 'error' in end ? end.error : undefined
  return {
    success: !error,
    output: run.output,
    ...(error && { error: run.redact.text(error.message), code: error.code }),
    turns: run.turns,
    tool_calls: run.toolCalls,
    steps: run.steps,
    usage: { ...run.usage },
    model: run.model,
    run_id: run.run.id,
    conversation_id: run.run.conversationId,
    stop_reason: end.stop satisfies StopReason,
  }
}

/** An approval as clients see it. */
export function toApproval(stored: StoredApproval): Approval {
  const { id, runId, tool, args, status, reason, createdAt, decidedAt } = stored
  return {
    id,
    run_id: runId,
    tool,
    args,
    status,
    ...(reason !== undefined && { reason }),
    created_at: createdAt,
    ...(decidedAt !== undefined && { decided_at: decidedAt }),
  }
}

function toWrite(context: RunsContext, run: RunRecord, more: readonly RunEvent[]) {
  const { firstSeq, events } = run.log.batch()
  return {
    runId: run.run.id,
    messages: run.messages.slice(run.savedMessages),
    progress: progressOf(run, context.now()),
    stream: { firstSeq, events: more.length > 0 ? [...events, ...more] : events },
    journal: run.journal,
  }
}

function markSaved(run: RunRecord, more: readonly RunEvent[]): void {
  run.savedMessages = run.messages.length
  run.journal = []
  run.log.saved(more)
}

function statusOf({ stop, error }: Exclude<RunEnd, { stop: 'approval' }>) {
  if (stop === 'cancelled') return 'cancelled'
  return error ? 'failed' : 'completed'
}

const titleLength = 80

function toAppend(run: RunRecord, now: string): ConversationAppend {
  const { id, conversationId, agentId, userId, task } = run.run
  const turn = [{ role: 'user', text: task } as const, ...run.messages]
  const title = task.trim().split('\n', 1)[0]?.slice(0, titleLength)
  return {
    conversationId,
    agentId,
    ...(userId !== undefined && { userId }),
    ...(title && { title }),
    messages: turn.map((message, index) => ({ id: `${id}.${index}`, message, runId: id })),
    now,
  }
}

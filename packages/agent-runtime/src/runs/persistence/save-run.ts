import type { Approval, RunEvent, RunResult, StopReason } from '@homeward/contract/agent-platform'
import { whileStoreFails } from '../../concurrency/while-store-fails.ts'
import { findNewestQuestion } from '../../conversations/replaced-answers.ts'
import { cut } from '../../json/to-json.ts'
import type { ConversationAppend } from '../../store/ports/conversation-store.ts'
import type { StoredApproval } from '../../store/ports/approval.ts'
import type { ModelMessage } from '../../ports/message.ts'
import type { RunFinish } from '../../store/ports/run-store.ts'
import { RuntimeError } from '../../ports/runtime-error.ts'
import { note, type ActiveRun, type RunRecord } from '../active-run.ts'
import { toIntent } from '../calls/effect-ledger.ts'
import { endRun } from './end-run.ts'
import { LostRun } from '../given-up.ts'
import { settleUnsure } from './keep-step.ts'
import type { RunEnd } from '../turns/run-turns.ts'
import type { RunsContext } from '../runs-options.ts'
import { markSaved, saveStep, takeLastPending, toWrite } from './save-step.ts'

/** Stops the run until people have decided about these calls, and until the runs that others wait for have ended. */
export async function saveWaiting(
  context: RunsContext,
  run: ActiveRun,
  { waiting: calls, suspended }: Extract<RunEnd, { stop: 'approval' }>,
): Promise<RunResult> {
  const createdAt = context.timestamp()
  const approvals = calls.map((call): StoredApproval => {
    const { id: callId, name: tool } = call
    // for people to read: what is called is called with what the message holds
    const args = run.redact.json(call.args)
    return { id: context.createId(), runId: run.run.id, callId, tool, args, status: 'pending', createdAt }
  })
  // Nobody hears of an approval, or of the end, before it is kept: who answers at once has to find it.
  const asked = approvals.map(({ id, tool, args }): RunEvent => {
    note(run, 'approval.requested', createdAt, { agent_id: run.run.agentId, approval_id: id, tool })
    return { event: 'approval', data: { id, tool, args } }
  })
  const others = suspended.flatMap(({ approvals: open }) => open)
  for (const { id, run_id, tool, args } of others) {
    if (run.asked.includes(id)) continue // told before the run went on for a moment
    asked.push({ event: 'approval', data: { id, tool, args, run_id } })
  }
  const result: RunResult = {
    ...toResult(run, { stop: 'approval', waiting: calls, suspended }),
    approvals: [...approvals.map((approval) => toApproval(approval)), ...others],
  }
  run.asked = result.approvals?.map(({ id }) => id) ?? []
  if (suspended.length > 0) run.intents = () => suspended.map(({ call }) => toIntent(call))
  await saveStep(context, run, { approvals, result }, asked)
  return result
}

/**
 * Ends a run in one write with its turn for the conversation.
 *
 * @param owner whose run it is; undefined for one that waits.
 * @returns undefined when it has ended or is somebody else's: nothing was written.
 */
export async function saveFinish(
  context: RunsContext,
  run: RunRecord,
  end: Exclude<RunEnd, { stop: 'approval' }>,
  owner: string | undefined,
): Promise<RunResult | undefined> {
  const result = toResult(run, end)
  const last = toLastEvent(result)
  const finishedAt = context.timestamp()
  const status = statusOf(end)
  const { stop_reason, turns, tool_calls } = result
  note(run, 'agent.completed', finishedAt, {
    agent_id: run.run.agentId,
    status,
    stop_reason,
    turns,
    tool_calls,
    input_tokens: result.usage.input_tokens,
    output_tokens: result.usage.output_tokens,
    ...(result.error !== undefined && { error: result.error }),
  })
  const conversation = run.run.store ? await toAppend(context, run, finishedAt) : undefined
  run.asked = []
  run.intents = undefined
  if (!(await isStillOurs(context, run))) return undefined
  const write = { ...toWrite(context, run, [last], owner), status, result, finishedAt } as const
  let isEnded: boolean
  try {
    isEnded = await endRun(context, conversation ? { ...write, conversation } : write)
  } catch (error) {
    if (!conversation || !isForNobody(error)) throw error
    isEnded = await finishWithoutTurn(context, write, conversation)
  }
  if (!isEnded) return undefined
  markSaved(run, write, [last])
  return result
}

const isForNobody = (error: unknown) => RuntimeError.is(error) && error.code === 'not_found'

/**
 * Ends a run whose conversation somebody else began while it worked, or that was deleted: what it did counts, but belongs
 * to nobody there.
 */
async function finishWithoutTurn(
  context: RunsContext,
  finish: RunFinish,
  { conversationId }: ConversationAppend,
): Promise<boolean> {
  const isEnded = await endRun(context, finish)
  if (isEnded) {
    const { runId } = finish
    context.logger.warn(
      'The turn of a run was not kept: its conversation was deleted, or is that of another one',
      {
        runId,
        conversationId,
      },
    )
  }
  return isEnded
}

/** Waits for a step that is being kept. One that could not be kept is part of the end: nothing of it counts as saved. */
async function isStillOurs(context: RunsContext, run: RunRecord): Promise<boolean> {
  try {
    await takeLastPending(run)?.catch((error: unknown) => {
      if (error instanceof LostRun) throw error
    })
    const missing = await settleUnsure(context, run)
    if (missing) run.journal.unshift(...missing.journal)
    return true
  } catch (error) {
    if (error instanceof LostRun) return false
    throw error
  }
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
    ...(error?.retryable && { retryable: true }),
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

function statusOf({ stop, error }: Exclude<RunEnd, { stop: 'approval' }>) {
  if (stop === 'cancelled') return 'cancelled'
  return error ? 'failed' : 'completed'
}

const titleLength = 80

/** What a run adds to its conversation; undefined for nothing. */
async function toAppend(
  context: RunsContext,
  run: RunRecord,
  now: string,
): Promise<ConversationAppend | undefined> {
  const turn = (await isQuestionThere(context, run)) ? run.messages : [toQuestion(run.run), ...run.messages]
  if (turn.length === 0) return undefined
  const { id, conversationId, conversationCreatedAt, agentId, userId, task } = run.run
  const title = cut(task.trim().split('\n', 1)[0] ?? '', titleLength)
  return {
    conversationId,
    ...(conversationCreatedAt !== undefined && { conversationCreatedAt }),
    agentId,
    ...(userId !== undefined && { userId }),
    ...(title && { title }),
    messages: turn.map((message, index) => ({ id: `${id}.${index}`, message, runId: id })),
    turnOf: id,
    now,
  }
}

const toQuestion = ({ task, tainted }: RunRecord['run']): ModelMessage => ({
  role: 'user',
  text: task,
  ...(tainted && { untrusted: true }),
})

/** Whether the answer of a run goes on with the question that it answers anew: nobody has asked another one meanwhile. */
async function isQuestionThere(context: RunsContext, { run }: RunRecord): Promise<boolean> {
  const { questionSeq, conversationId } = run
  if (questionSeq === undefined) return false
  const newest = await whileStoreFails(context, () => findNewestQuestion(context.store, conversationId))
  return newest?.seq === questionSeq
}

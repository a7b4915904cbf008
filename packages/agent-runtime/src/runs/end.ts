import type { Approval, RunEvent, RunResult } from '@homeward/contract/agent-platform'
import { whileStoreFails } from '../concurrency/while-store-fails.ts'
import { findNewestQuestion } from '../conversations/replaced-answers.ts'
import { cut } from '../json/to-json.ts'
import { isGuarded } from '../ports/guard-errors.ts'
import type { ModelMessage } from '../ports/message.ts'
import { RuntimeError } from '../ports/runtime-error.ts'
import type { StoredApproval } from '../store/ports/approval.ts'
import type { ConversationAppend } from '../store/ports/conversation-store.ts'
import { effectsOf } from './calls/call-events.ts'
import { hashCall, toIntent } from './calls/effect-ledger.ts'
import type { Run, RunEnd, RunPause, RunState } from './loop/run.ts'
import type { RunEnding } from './persistence/run-writer.ts'
import { withoutCorrections } from './run-messages.ts'
import type { RunsContext } from './runs-options.ts'

/** Seconds that a call waits for a person. */
const defaultTimeoutS = 86_400

/** Stops the run until people have decided about these calls, and until the runs that others wait for have ended. */
export async function saveWaiting(run: Run, pause: RunPause): Promise<RunResult> {
  const { context } = run
  const { waiting: calls, suspended } = pause
  const createdAt = context.timestamp()
  const timeoutMs = (run.agent.approval_timeout ?? defaultTimeoutS) * 1000
  const expiresAt = new Date(Date.parse(createdAt) + timeoutMs).toISOString()
  const approvals = calls.map((call): StoredApproval => {
    const { id: callId, name: tool } = call
    // for people to read: what is called is called with what the message holds
    const args = run.redact.json(call.args)
    const callHash = hashCall(tool, call.args)
    const head = { id: context.createId(), runId: run.row.id, callId, tool, args, callHash }
    return { ...head, status: 'pending', createdAt, expiresAt }
  })
  const events = approvals.map(({ id, tool, args }): RunEvent => {
    const data = { agent_id: run.row.agentId, approval_id: id, tool, ...effectsOf(run, tool) }
    run.writer.note('approval.requested', data, createdAt)
    return { event: 'approval', data: { id, tool, args } }
  })
  const others = suspended.flatMap(({ approvals: open }) => open)
  for (const { id, run_id, tool, args } of others) {
    if (run.progress.asked.includes(id)) continue // told before the run went on for a moment
    events.push({ event: 'approval', data: { id, tool, args, run_id } })
  }
  const asked = [...approvals.map((approval) => toApproval(approval)), ...others]
  const result: RunResult = { ...run.result(pause), approvals: asked }
  run.progressed({ asked: asked.map(({ id }) => id) })
  const intents = suspended.map(({ call }) => toIntent(call))
  await run.writer.wait({ approvals, result }, events, intents)
  if (approvals.length > 0) context.hooks.onDue?.(Date.parse(expiresAt))
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
  run: RunState,
  end: RunEnd,
  owner: string | undefined,
): Promise<RunResult | undefined> {
  const result = run.result(end)
  const finishedAt = context.timestamp()
  const status = statusOf(end)
  noteEnd(run, result, status, finishedAt)
  const isKept =
    run.row.store && !(end.error && isGuarded(end.error)) && (!context.guards.input || run.progress.input)
  const conversation = isKept ? await toAppend(context, run, finishedAt) : undefined
  run.progressed({ asked: [] })
  const durationMs = Math.max(0, Date.parse(finishedAt) - Date.parse(run.row.createdAt))
  const searched = [run.row.task, result.output]
  const last = toLastEvent(result)
  const ending: RunEnding = { owner, status, result, finishedAt, durationMs, searched, last }
  if (!conversation) return (await run.writer.finish(ending)) ? result : undefined
  try {
    return (await run.writer.finish({ ...ending, conversation })) ? result : undefined
  } catch (error) {
    if (!isForNobody(error)) throw error
  }
  // Somebody else began the conversation while the run worked, or it was deleted: what was done counts, but belongs to
  // nobody there.
  if (!(await run.writer.finish(ending))) return undefined
  context.logger.warn(
    'Saving the messages of a run failed: its conversation was deleted or belongs to another user.',
    { runId: run.row.id, conversationId: conversation.conversationId },
  )
  return result
}

function noteEnd(run: RunState, result: RunResult, status: RunEnding['status'], finishedAt: string) {
  const { stop_reason, turns, tool_calls, usage, error } = result
  const data = {
    agent_id: run.row.agentId,
    status,
    stop_reason,
    turns,
    tool_calls,
    input_tokens: usage.input_tokens,
    output_tokens: usage.output_tokens,
    ...(error !== undefined && { error }),
  }
  run.writer.note('agent.completed', data, finishedAt)
}

const isForNobody = (error: unknown) => RuntimeError.is(error) && error.code === 'not_found'

function statusOf({ stop, error }: RunEnd) {
  if (stop === 'cancelled') return 'cancelled'
  return error ? 'failed' : 'completed'
}

const titleLength = 80

/** What a run adds to its conversation; undefined for nothing. */
async function toAppend(
  context: RunsContext,
  run: RunState,
  now: string,
): Promise<ConversationAppend | undefined> {
  const answers = withoutCorrections(run.writer.messages)
  const turn = (await isQuestionThere(context, run)) ? answers : [toQuestion(run.row), ...answers]
  if (turn.length === 0) return undefined
  const { id, conversationId, conversationCreatedAt, agentId, userId, task } = run.row
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

const toQuestion = ({ task, files, tainted }: RunState['row']): ModelMessage => ({
  role: 'user',
  text: task,
  ...(files && { files }),
  ...(tainted && { untrusted: true }),
})

/** Whether the answer of a run goes on with the question that it answers anew: nobody has asked another one meanwhile. */
async function isQuestionThere(context: RunsContext, { row }: RunState): Promise<boolean> {
  const { questionSeq, conversationId } = row
  if (questionSeq === undefined) return false
  const newest = await whileStoreFails(context, () => findNewestQuestion(context.store, conversationId))
  return newest?.seq === questionSeq
}

/** The last event of a run that has ended. */
export function toLastEvent(result: RunResult): RunEvent {
  const { output, turns, error = 'The run failed', code = 'run_error', run_id } = result
  if (result.success) return { event: 'done', data: { finalContent: output, turnCount: turns, ...result } }
  return { event: 'error', data: { message: error, code, run_id } }
}

/** An approval as clients see it. */
export function toApproval(stored: StoredApproval): Approval {
  const { id, runId, tool, args, status, editedArgs, reason, response, createdAt } = stored
  const { expiresAt, decidedAt, decidedBy } = stored
  return {
    id,
    run_id: runId,
    tool,
    args,
    status,
    ...(editedArgs && { edited_args: editedArgs }),
    ...(reason !== undefined && { reason }),
    ...(response !== undefined && { response }),
    created_at: createdAt,
    ...(expiresAt !== undefined && { expires_at: expiresAt }),
    ...(decidedBy !== undefined && { decided_by: decidedBy }),
    ...(decidedAt !== undefined && { decided_at: decidedAt }),
  }
}

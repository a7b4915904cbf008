import type { Approval, ResultFile, RunEvent, RunResult, StopReason } from '@homeward/contract/agent-platform'
import type { StoredApproval } from '../../store/ports/approval.ts'
import { toFileReference } from '../../files/to-files.ts'
import type { FileReference } from '../../ports/file.ts'
import type { AgentRunState } from '../active-run.ts'
import { modelFilesOf } from '../run-messages.ts'
import type { RunStop } from '../turns/run-turns.ts'

/** The last event of a run that has ended. */
export function toLastEvent(result: RunResult): RunEvent {
  const { output, turns, error = 'The run failed', code = 'run_error', run_id } = result
  if (result.success) return { event: 'done', data: { finalContent: output, turnCount: turns, ...result } }
  return { event: 'error', data: { message: error, code, run_id } }
}

const toResultFile = (file: FileReference): ResultFile => ({
  ...toFileReference(file),
  url: `/api/files/${file.id}`,
})

/** The result of a run that stopped. */
export function toResult(run: AgentRunState, end: RunStop): RunResult {
  const error = 'error' in end ? end.error : undefined
  const files = modelFilesOf(run.writer.messages).map(toResultFile)
  return {
    success: !error,
    output: run.output,
    ...(run.data !== undefined && !error && { data: run.data }),
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
    ...(files.length > 0 && { files }),
    ...(run.warnings.length > 0 && { warnings: [...run.warnings] }),
  }
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

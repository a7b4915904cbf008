import type { Task } from '@homeward/contract/agent-platform'
import { shownId } from '../store/own-conversation.ts'
import type { StoredTask } from '../store/ports/task-store.ts'

/** A task as the interface shows it (A7). */
export function toTask(stored: StoredTask): Task {
  const { subject, scheduled, scheduleId, triggerId, status, runAt, createdAt } = stored
  return {
    id: stored.id,
    ...(subject.kind === 'agent' ? { agent_id: subject.id } : { graph_id: subject.id }),
    input: stored.input,
    ...(stored.files && { files: [...stored.files] }),
    status,
    created_at: createdAt,
    updated_at: stored.updatedAt,
    ...(stored.startedAt !== undefined && { started_at: stored.startedAt }),
    ...(stored.finishedAt !== undefined && { finished_at: stored.finishedAt }),
    ...(status === 'queued' && runAt > createdAt && { run_at: runAt }),
    priority: stored.priority,
    ...(scheduleId !== undefined && { schedule_id: scheduleId }),
    ...(triggerId !== undefined && { trigger_id: triggerId }),
    ...(scheduled && {
      scheduled_run: true,
      schedule: scheduled.schedule,
      scheduled_for: scheduled.for,
    }),
    ...(stored.conversationId !== undefined && { conversation_id: shownId(stored.conversationId) }),
    ...(stored.userId !== undefined && { user_id: stored.userId }),
    ...(stored.runId !== undefined && stored.runId !== stored.afterRun && { run_id: stored.runId }),
    attempt: stored.attempt,
    max_attempts: stored.maxAttempts,
    ...(stored.idempotencyKey !== undefined && { idempotency_key: shownId(stored.idempotencyKey) }),
    ...(stored.metadata && { metadata: stored.metadata }),
    ...(stored.result && { result: stored.result }),
    ...(stored.failure && { failure: stored.failure }),
  }
}

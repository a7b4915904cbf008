import type { JsonObject } from '@homeward/contract/agent-platform'
import type { JournalEventType } from '@homeward/contract/agent-platform'
import type { NewJournalEvent } from '../store/ports/journal.ts'
import type { NewTask, StoredTask } from '../store/ports/task-store.ts'

/** What the journal says about a task that was put into the queue (A14). */
export function toCreatedEvent(task: NewTask): NewJournalEvent {
  const { scheduled, scheduleId } = task
  return {
    type: 'task.created',
    timestamp: task.createdAt,
    data: {
      ...identify(task),
      ...(scheduleId !== undefined && { schedule_id: scheduleId }),
      ...(scheduled && { schedule: scheduled.schedule, scheduled_for: scheduled.for }),
    },
  }
}

/** What it says about a failed task that begins anew. */
export function toRetriedEvent(task: StoredTask): NewJournalEvent {
  return toEvent('task.created', task, { retry: true })
}

/** What it says about a task that a worker took. */
export function toStartedEvent(task: StoredTask): NewJournalEvent {
  return toEvent('task.started', task, { attempt: task.attempt })
}

/** What it says about a task that has ended; nothing when it goes on later. */
export function toEndedEvent(task: StoredTask): NewJournalEvent | undefined {
  const { attempt, failure } = task
  if (task.status === 'completed') return toEvent('task.completed', task, { attempt })
  if (task.status !== 'failed' || failure === undefined) return undefined
  const { code, message, retryable } = failure
  return toEvent('task.failed', task, { attempt, code, message, retryable })
}

function toEvent(type: JournalEventType, task: StoredTask, particulars: JsonObject): NewJournalEvent {
  return {
    type,
    timestamp: task.updatedAt,
    ...(task.runId !== undefined && { runId: task.runId }),
    data: { ...identify(task), ...particulars },
  }
}

function identify({ id, subject }: Pick<NewTask, 'id' | 'subject'>): JsonObject {
  return { task_id: id, ...(subject.kind === 'agent' ? { agent_id: subject.id } : { graph_id: subject.id }) }
}

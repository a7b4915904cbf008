import type { ReportTarget } from '@homeward/contract/agent-platform'
import type { NewTask } from '../store/ports/task-store.ts'

/** The chats that get the result of a task, as the task stores them. */
export function toReportTo(targets: readonly ReportTarget[] = []): Pick<NewTask, 'reportTo'> {
  if (targets.length === 0) return {}
  return {
    reportTo: targets.map(({ channel, conversation_id: conversationId }) => ({ channel, conversationId })),
  }
}

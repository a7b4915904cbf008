import type { TaskFailure, TaskFailureCode } from '@homeward/contract/agent-platform'
import { CircleAlert } from 'lucide-react'

const titles: Readonly<Record<TaskFailureCode, string>> = {
  run_error: 'The run failed',
  timeout: 'The run took too long',
  cancelled: 'The task was stopped',
  max_attempts: 'All attempts failed',
  not_found: 'The agent or the graph was deleted',
  effect_uncertain: 'A tool call may not have finished',
  guard_refused: 'A check rejected the task or its answer',
}

/** Why a task failed, and whether trying again may help. */
export function TaskFailureNote({
  failure: { code, message, retryable },
}: {
  readonly failure: TaskFailure
}) {
  return (
    <div className="task-failure">
      <CircleAlert aria-hidden />
      <div>
        <h2>{titles[code]}</h2>
        <p className="foreign">{message}</p>
        <p className="muted small">
          <code>{code}</code> · {retryable ? 'The task may succeed if you try again.' : adviceOf(code)}
        </p>
      </div>
    </div>
  )
}

function adviceOf(code: TaskFailureCode): string {
  if (code !== 'effect_uncertain') return 'The task will probably fail again until you fix the cause.'
  return 'Check whether the call took effect. Trying again may repeat it.'
}

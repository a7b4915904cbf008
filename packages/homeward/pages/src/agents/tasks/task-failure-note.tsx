import type { TaskFailure, TaskFailureCode } from '@homeward/contract/agent-platform'
import { CircleAlert } from 'lucide-react'

const titles: Readonly<Record<TaskFailureCode, string>> = {
  run_error: 'The run failed',
  timeout: 'The run took too long',
  cancelled: 'The task was stopped',
  max_attempts: 'All attempts failed',
  not_found: 'The agent or the graph is gone',
  effect_uncertain: 'Nobody can tell whether something was done',
  guard_refused: 'A check refused the task or its answer',
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
          <code>{code}</code> · {retryable ? 'It may succeed when it is tried again.' : adviceOf(code)}
        </p>
      </div>
    </div>
  )
}

function adviceOf(code: TaskFailureCode): string {
  if (code !== 'effect_uncertain') return 'It will likely fail the same way until something is changed.'
  return 'Look where it acts whether it happened; trying again may do it twice.'
}

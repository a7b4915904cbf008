import { reasonOf } from '../../ports/reason-of.ts'
import { RuntimeError } from '../../ports/runtime-error.ts'
import type { TaskFailure } from '@homeward/contract/agent-platform'
import type { Attempt, TaskWork } from '../../tasks/attempt.ts'
import type { LoadMessageFiles } from './load-message-files.ts'

/** The same work, with the files of messages loaded before the run of a message begins. */
export function withMessageFiles(work: TaskWork, load: LoadMessageFiles): TaskWork {
  return {
    conclude: (task) => work.conclude(task),
    async execute(task, signal) {
      // a run that has begun has its files
      if (typeof task.metadata?.['channel'] !== 'string' || task.runId !== undefined)
        return work.execute(task, signal)
      let ready: Awaited<ReturnType<LoadMessageFiles>>
      try {
        ready = await load(task, signal)
      } catch (error) {
        return toAttempt(error, signal)
      }
      return ready === undefined ? { kind: 'released' } : work.execute(ready, signal)
    },
  }
}

function toAttempt(error: unknown, signal: AbortSignal): Attempt {
  const reason: unknown = signal.reason
  const isCancel = RuntimeError.is(reason) && reason.code === 'cancelled'
  if (signal.aborted && !isCancel) return { kind: 'released' }
  const failure: TaskFailure = isCancel
    ? { code: 'cancelled', message: reason.message, retryable: false }
    : { code: 'run_error', message: reasonOf(error), retryable: true }
  return { kind: 'failed', failure }
}

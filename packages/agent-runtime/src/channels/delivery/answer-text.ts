import { refusalReason } from '../../ports/guard-errors.ts'
import type { StoredTask } from '../../store/ports/task-store.ts'

const apology = 'Sorry, something went wrong and I could not answer. Please try again.'
const stopped = 'The task was stopped before I had an answer.'
const silence = 'I have no answer to this.'

/** What a person gets for a message: the answer, or a short apology that tells nothing from inside. */
export function answerText(task: StoredTask | undefined): string {
  if (task?.status !== 'completed') return failureText(task)
  const output = task.result?.output ?? ''
  return output.trim() === '' ? silence : output
}

/** A guard's reason is written for those who ask; nothing else from inside is. */
function failureText(task: StoredTask | undefined): string {
  const { code, message } = task?.failure ?? {}
  if (code === 'cancelled') return stopped
  const reason = code === 'guard_refused' ? refusalReason(message) : undefined
  return reason === undefined ? apology : `I cannot answer this: ${reason}`
}

/** What a chat gets about a task that nobody asked for there: the result, or how the task failed. */
export function reportText(task: StoredTask | undefined): string {
  if (task === undefined) return 'A task has ended, but its result was already deleted.'
  const who = `The task of agent ${task.subject.id}`
  const { status, failure } = task
  if (status !== 'completed') {
    if (failure?.code === 'cancelled') return `${who} was stopped before it had a result.`
    return `${who} failed: ${failure?.message ?? 'unknown reason.'}`
  }
  const output = task.result?.output ?? ''
  return output.trim() === '' ? `${who} has ended without an output.` : output
}

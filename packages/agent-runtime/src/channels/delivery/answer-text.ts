import type { StoredTask } from '../../store/ports/task-store.ts'

const apology = 'Sorry, something went wrong and I could not answer. Please try again.'
const stopped = 'This was stopped before there was an answer.'
const silence = 'I have no answer to that.'

/** What a person gets for a message: the answer, or a short apology that tells nothing from inside. */
export function answerText(task: StoredTask | undefined): string {
  if (task?.status !== 'completed') return task?.failure?.code === 'cancelled' ? stopped : apology
  const output = task.result?.output ?? ''
  return output.trim() === '' ? silence : output
}

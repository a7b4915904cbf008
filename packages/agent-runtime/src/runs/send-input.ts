import type { RunMessageRequest } from '@homeward/contract/agent-platform'
import { RuntimeError } from '../ports/runtime-error.ts'
import { repeatableId, usedKey } from '../store/repeatable-id.ts'
import type { NewRunInput } from '../store/ports/run-input-store.ts'
import type { StoredRun } from '../store/ports/run-store.ts'
import type { NewTask } from '../store/ports/task-store.ts'
import type { RunsContext } from './runs-options.ts'

const attempt = 'Sending a message to a run'

/** Stores a message to a run. @throws {RuntimeError} `not_found`; `validation_error` for a graph; `conflict` */
export async function sendInput(
  context: RunsContext,
  runId: string,
  { text, mode = 'steer', idempotency_key: key }: RunMessageRequest,
): Promise<{ readonly id: string; readonly mode: NewRunInput['mode'] }> {
  const run = await context.store.findRun(runId)
  if (!run) throw unknown()
  if (run.kind === 'graph')
    throw new RuntimeError(
      'validation_error',
      `${attempt} failed: the run belongs to a graph. Send the message to the run of one of its agents.`,
    )
  if (run.undoes)
    throw new RuntimeError('conflict', `${attempt} failed: the run undoes another run and reads no messages.`)
  const id = key === undefined ? context.createId() : repeatableId(key, ['run message', runId])
  const createdAt = context.timestamp()
  const task = mode === 'queue' ? toTask(run, { id: context.createId(), text, createdAt }) : undefined
  const stored = await context.store.insertRunInput({
    runId,
    id,
    mode,
    text,
    createdAt,
    ...(task && { task }),
    journal: task
      ? [
          {
            type: 'task.created',
            timestamp: createdAt,
            data: { task_id: task.id, agent_id: task.subject.id },
          },
        ]
      : [],
  })
  if (stored === 'unknown') throw unknown()
  if (stored === 'ended')
    throw new RuntimeError('conflict', `${attempt} failed: the run has ended. Start another one.`)
  if (stored.input.text !== text || stored.input.mode !== mode) throw usedKey(attempt, 'message')
  if (task && stored.isNew) await context.announceTask?.(task)
  return { id, mode }
}

const unknown = () =>
  new RuntimeError('not_found', `${attempt} failed: no run has this id. List the runs to find it.`)

/** The task that runs behind a run, in its conversation. */
function toTask(
  { id: afterRun, agentId, conversationId, userId }: Extract<StoredRun, { kind: 'agent' }>,
  { id, text, createdAt }: { readonly id: string; readonly text: string; readonly createdAt: string },
): NewTask {
  return {
    id,
    subject: { kind: 'agent', id: agentId },
    input: text,
    conversationId,
    ...(userId !== undefined && { userId }),
    afterRun,
    serialKey: `conversation ${conversationId}`,
    priority: 0,
    maxAttempts: 3,
    createdAt,
    runAt: createdAt,
  }
}

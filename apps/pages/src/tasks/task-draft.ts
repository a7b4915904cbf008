import type { Worker } from './task-worker.ts'
import { noWorkOptions, toWorkFields, type WorkOptions } from './work-options.ts'

/** A task as it is typed. */
export interface TaskDraft {
  readonly worker: Worker
  readonly task: string
  readonly priority: number
  readonly maxAttempts: number | undefined
  /** Of an agent's task. */
  readonly conversationId: string
  readonly limits: {
    readonly max_turns?: number | undefined
    readonly max_tokens?: number | undefined
    readonly max_runtime?: number | undefined
  }
  readonly options: WorkOptions
}

/** A task to begin with. */
export function newTaskDraft(worker: Worker): TaskDraft {
  return {
    worker,
    task: '',
    priority: 0,
    maxAttempts: undefined,
    conversationId: '',
    limits: {},
    options: noWorkOptions,
  }
}

/** What a task needs and this one does not have, by the field where it belongs. */
export function missingIn({
  worker: { agentId, graphId },
  task,
}: TaskDraft): Readonly<Record<string, string>> {
  return {
    ...(agentId === undefined && graphId === undefined && { worker: 'Choose an agent or a graph.' }),
    ...(task.trim() === '' && { task: 'Enter the task.' }),
  }
}

/** @returns the request that creates it. @throws {Error} that says what is wrong. */
export function toTaskRequest({
  worker,
  task,
  priority,
  maxAttempts,
  conversationId,
  limits,
  options,
}: TaskDraft) {
  const { agentId, graphId } = worker
  const set = Object.entries(limits).filter(([, value]) => value !== undefined)
  return {
    ...(agentId !== undefined ? { agent_id: agentId } : { graph_id: graphId }),
    task,
    ...(priority !== 0 && { priority }),
    ...(maxAttempts !== undefined && { max_attempts: maxAttempts }),
    ...(agentId !== undefined && conversationId !== '' && { conversation_id: conversationId }),
    ...(agentId !== undefined && set.length > 0 && { limits: Object.fromEntries(set) }),
    ...toWorkFields(options),
  }
}

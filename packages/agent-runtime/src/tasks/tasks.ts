import type { Task, TaskRequest, TaskStatus } from '@homeward/contract/agent-platform'
import type { Subjects } from '../store/ports/run-store.ts'

/** Filter for tasks. Absent fields match everything. */
export interface TaskQuery {
  readonly agentId?: string | undefined
  readonly graphId?: string | undefined
  readonly userId?: string | undefined
  /** Tasks of one of these agents or graphs. */
  readonly within?: Subjects | undefined
  readonly status?: TaskStatus | undefined
  /** Page size, 1 to 500. @default 100 */
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
}

/** Work in the background, in a durable queue. Workers run tasks, and retry them if a retry may help. */
export interface Tasks {
  /**
   * Queues a task. If a task with the same idempotency key exists, that one is returned: `created` is false.
   *
   * @throws {RuntimeError} `validation_error`; `not_found` if the agent or graph does not exist; `conflict` if the
   * key belongs to a task with another agent, graph or input.
   */
  create(
    request: TaskRequest,
    signal?: AbortSignal,
  ): Promise<{ readonly task: Task; readonly created: boolean }>
  /** Returns a task. @throws {RuntimeError} `not_found` */
  get(id: string, signal?: AbortSignal): Promise<Task>
  /** Returns a task. @returns undefined if it does not exist. */
  find(id: string, signal?: AbortSignal): Promise<Task | undefined>
  /** Lists tasks, newest first. */
  list(
    query?: TaskQuery,
    signal?: AbortSignal,
  ): Promise<{ readonly tasks: Task[]; readonly nextCursor?: string }>
  /**
   * Cancels a task and its run. Does nothing for an ended task.
   *
   * A task in this process has stopped when the call resolves, unless its tools take too long. A task in another
   * process stops within seconds.
   *
   * @throws {RuntimeError} `not_found`
   */
  cancel(id: string): Promise<Task>
  /**
   * Queues a failed task again. Its attempts are counted from zero.
   *
   * @throws {RuntimeError} `not_found`; `conflict` if it has not failed.
   */
  retry(id: string): Promise<Task>
}

import type { Task, TaskRequest, TaskStatus } from '@homeward/contract/agent-platform'
import type { Subjects } from '../store/ports/run-store.ts'

/** Which tasks. Absent fields match everything. */
export interface TaskQuery {
  readonly agentId?: string | undefined
  readonly graphId?: string | undefined
  readonly userId?: string | undefined
  /** Tasks of one of these agents or graphs. */
  readonly within?: Subjects | undefined
  readonly status?: TaskStatus | undefined
  /** 1 to 500. @default 100 */
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
}

/** Work in the background, in a durable queue. Workers execute tasks, and retry them if a retry may help. */
export interface Tasks {
  /**
   * Puts a task into the queue. With an idempotency key that was used before, that task is given instead: `created` is
   * false.
   *
   * @throws {RuntimeError} `validation_error`; `not_found` when there is no such agent or graph; `conflict` when the key
   * belongs to a task with another agent, graph or input.
   */
  create(
    request: TaskRequest,
    signal?: AbortSignal,
  ): Promise<{ readonly task: Task; readonly created: boolean }>
  /** @throws {RuntimeError} `not_found` */
  get(id: string, signal?: AbortSignal): Promise<Task>
  /** @returns undefined when there is none. */
  find(id: string, signal?: AbortSignal): Promise<Task | undefined>
  /** Newest first. */
  list(
    query?: TaskQuery,
    signal?: AbortSignal,
  ): Promise<{ readonly tasks: Task[]; readonly nextCursor?: string }>
  /**
   * Stops a task and its run. A task that has ended does not change. A task that runs in this process has stopped when this
   * resolves, unless its tools take too long; one that another process works on stops within seconds.
   *
   * @throws {RuntimeError} `not_found`
   */
  cancel(id: string): Promise<Task>
  /**
   * Queues a failed task again. Its attempts are counted from zero.
   *
   * @throws {RuntimeError} `not_found`; `conflict` when it has not failed.
   */
  retry(id: string): Promise<Task>
}

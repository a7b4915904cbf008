import type { Task } from '@homeward/contract/agent-platform'
import { RuntimeError } from '../ports/runtime-error.ts'
import { withIdempotencyKey } from './idempotency-key.ts'
import type { PlatformContext, PlatformHandlers } from './platform-context.ts'

type TaskHandlers = Pick<
  PlatformHandlers,
  'createTask' | 'listTasks' | 'getTask' | 'cancelTask' | 'retryTask'
>

type TaskQuery = Parameters<TaskHandlers['listTasks']>[0]['query']

/** Tasks in the background (A7). */
export function createTaskHandlers({ services: { tasks } }: PlatformContext): TaskHandlers {
  async function list(query: TaskQuery, signal: AbortSignal) {
    const { agent_id: agentId, graph_id: graphId, status, limit, cursor } = query
    const found = await tasks.list({ agentId, graphId, status, limit, cursor }, signal)
    return {
      tasks: found.tasks,
      ...(found.nextCursor !== undefined && { next_cursor: found.nextCursor }),
    }
  }

  const get = async (id: string, signal: AbortSignal): Promise<{ task: Task }> => ({
    task: await tasks.get(id, signal),
  })

  return {
    async createTask({ body, request, markRepeated }) {
      const { task, created } = await tasks.create(withIdempotencyKey(body, request), request.signal)
      if (!created) markRepeated()
      return { task }
    },
    async listTasks({ query, request: { signal } }) {
      if (query.agent_id !== undefined && query.graph_id !== undefined) throw notBoth()
      if (query.id === undefined) return list(query, signal)
      const found = await get(query.id, signal)
      // whoever names more than the id asks for a task that is so, as in the list
      if (isAskedFor(found.task, query)) return found
      throw new RuntimeError(
        'not_found',
        `Getting the task failed: task ${query.id} exists but does not match agent_id, graph_id or status. Remove those filters.`,
      )
    },
    getTask: async ({ params, request }) => get(params.id, request.signal),
    cancelTask: async ({ params }) => ({ ok: true, task: await tasks.cancel(params.id) }),
    retryTask: async ({ params }) => ({ ok: true, task: await tasks.retry(params.id) }),
  }
}

const notBoth = () =>
  new RuntimeError(
    'validation_error',
    'Listing tasks failed: a task is for an agent or for a graph. Send either "agent_id" or "graph_id".',
  )

/** Whether a task is one that the filters of a query let through. */
const isAskedFor = (task: Task, { agent_id, graph_id, status }: TaskQuery) =>
  (agent_id ?? task.agent_id) === task.agent_id &&
  (graph_id ?? task.graph_id) === task.graph_id &&
  (status ?? task.status) === task.status

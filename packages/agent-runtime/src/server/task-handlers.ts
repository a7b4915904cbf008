import type { Task } from '@homeward/contract/agent-platform'
import { RuntimeError } from '../runtime-error.ts'
import { withIdempotencyKey } from './idempotency-key.ts'
import type { PlatformContext, PlatformHandlers } from './platform-context.ts'

type TaskHandlers = Pick<
  PlatformHandlers,
  'createTask' | 'listTasks' | 'getTask' | 'cancelTask' | 'retryTask'
>

/** Tasks in the background (A7). */
export function createTaskHandlers({ runtime: { tasks } }: PlatformContext): TaskHandlers {
  async function list(query: Parameters<TaskHandlers['listTasks']>[0]['query'], signal: AbortSignal) {
    const { agent_id: agentId, graph_id: graphId, status, limit, cursor } = query
    if (agentId !== undefined && graphId !== undefined) {
      throw new RuntimeError(
        'validation_error',
        'Listing tasks: a task is for an agent or for a graph. Send agent_id or graph_id, not both.',
      )
    }
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
    listTasks: async ({ query, request: { signal } }) =>
      query.id === undefined ? list(query, signal) : get(query.id, signal),
    getTask: async ({ params, request }) => get(params.id, request.signal),
    cancelTask: async ({ params }) => ({ ok: true, task: await tasks.cancel(params.id) }),
    retryTask: async ({ params }) => ({ ok: true, task: await tasks.retry(params.id) }),
  }
}

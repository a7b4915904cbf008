import type { Task } from '@homeward/contract/agent-platform'
import { RuntimeError } from '../ports/runtime-error.ts'
import { withIdempotencyKey } from './start-headers.ts'
import type { PlatformContext, PlatformHandlers } from './platform-context.ts'
import { sourceOf } from './start-headers.ts'
import { toGraphReply } from './platform-errors.ts'
import type { PlatformCaller } from './access/platform-caller.ts'
import { createReach } from './access/reach.ts'
import { createRunStreams } from './run-streams.ts'

type TaskHandlers = Pick<
  PlatformHandlers,
  'createTask' | 'listTasks' | 'getTask' | 'cancelTask' | 'retryTask'
>

type TaskQuery = Parameters<TaskHandlers['listTasks']>[0]['query']

/** Tasks in the background (A7). */
export function createTaskHandlers({ services }: PlatformContext): TaskHandlers {
  const { tasks } = services

  async function list(query: TaskQuery, caller: PlatformCaller, signal: AbortSignal) {
    const { agent_id: agentId, graph_id: graphId, user_id: userId, status, limit, cursor } = query
    const within = await createReach(caller, services).subjects()
    const found = await tasks.list({ agentId, graphId, userId, within, status, limit, cursor }, signal)
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
    async listTasks({ query, caller, request: { signal } }) {
      if (query.agent_id !== undefined && query.graph_id !== undefined) throw notBoth()
      if (query.id === undefined) return list(query, caller, signal)
      const found = await get(query.id, signal)
      // whoever names more than the id asks for a task that is so, as in the list
      if (isAskedFor(found.task, query)) return found
      throw new RuntimeError(
        'not_found',
        `Getting the task failed: task ${query.id} exists but does not match agent_id, graph_id, user_id or status. Remove those filters.`,
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
const isAskedFor = (task: Task, { agent_id, graph_id, user_id, status }: TaskQuery) =>
  (agent_id ?? task.agent_id) === task.agent_id &&
  (graph_id ?? task.graph_id) === task.graph_id &&
  (user_id ?? task.user_id) === task.user_id &&
  (status ?? task.status) === task.status

type ScheduleHandlers = Pick<
  PlatformHandlers,
  | 'listSchedules'
  | 'previewSchedule'
  | 'createSchedule'
  | 'updateSchedule'
  | 'deleteSchedule'
  | 'runSchedule'
  | 'listScheduleHistory'
>

/** Schedules of agents and graphs (A9). */
export function createScheduleHandlers({ services: { schedules } }: PlatformContext): ScheduleHandlers {
  return {
    listSchedules: async ({ request }) => ({ schedules: await schedules.list(request.signal) }),
    previewSchedule: async ({ query }) => ({ fires: await schedules.next(query) }),
    async createSchedule({ body, request, markRepeated }) {
      const { schedule, created } = await schedules.create(withIdempotencyKey(body, request), request.signal)
      if (!created) markRepeated()
      return { schedule }
    },
    updateSchedule: async ({ params, body, request }) => ({
      ok: true,
      schedule: await schedules.update(params.id, body, request.signal),
    }),
    async deleteSchedule({ params, request }) {
      await schedules.delete(params.id, request.signal)
      return { ok: true }
    },
    async runSchedule({ params, body, request, markRepeated }) {
      const asked = withIdempotencyKey(body, request)
      const { task, created } = await schedules.run(params.id, asked, request.signal)
      if (!created) markRepeated()
      return { task }
    },
    async listScheduleHistory({ params, query, request }) {
      const { history, nextCursor } = await schedules.history(params.id, query, request.signal)
      return { history, ...(nextCursor !== undefined && { next_cursor: nextCursor }) }
    },
  }
}

type GraphHandlers = Pick<
  PlatformHandlers,
  'listGraphs' | 'createGraph' | 'getGraph' | 'updateGraph' | 'deleteGraph' | 'runGraph' | 'streamGraphRun'
>

/** Graphs and their runs (A10). A caller that goes away stops nothing: `cancel` does. */
export function createGraphHandlers(context: PlatformContext): GraphHandlers {
  const { graphs } = context.services
  const streams = createRunStreams(context)

  return {
    listGraphs: async ({ request }) => ({ graphs: await graphs.list(request.signal) }),
    createGraph: async ({ body, request }) => ({
      ok: true,
      graph: await graphs.create(body, request.signal),
    }),
    getGraph: async ({ params, request }) => ({ graph: await graphs.get(params.id, request.signal) }),
    updateGraph: async ({ params, body, request }) => ({
      ok: true,
      graph: await graphs.update(params.id, body, request.signal),
    }),
    async deleteGraph({ params, request }) {
      await graphs.delete(params.id, request.signal)
      return { ok: true }
    },
    runGraph: async ({ body, request }) =>
      toGraphReply(await graphs.run(withIdempotencyKey(body, request), sourceOf(request))),
    streamGraphRun: async ({ body, query, caller, request }) =>
      streams.start(request, query, {
        userId: caller?.userId,
        isSame: (run) =>
          run.graph_id === body.graph_id && run.task === body.input && run.user_id === body.user_id,
        start: () => graphs.start(withIdempotencyKey(body, request), sourceOf(request)),
      }),
  }
}

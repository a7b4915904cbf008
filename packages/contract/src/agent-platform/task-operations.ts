import * as z from 'zod/mini'
import type { Operation } from '../operation.ts'
import { bodyWithFiles, idempotencyHeader } from './start-options.ts'
import { Task, TaskRequest, TaskStatus } from './task.ts'
import { limitParameter, PageCursor, PlatformId, Slug } from './values.ts'

const byId = z.object({ id: PlatformId })
const one = z.object({ task: Task })
const changed = z.object({ ok: z.literal(true), task: Task })

/** Tasks in the background. */
export const taskOperations = {
  createTask: {
    method: 'POST',
    path: '/api/tasks',
    auth: 'local',
    scope: 'run',
    subject: { agent: 'body.agent_id', graph: 'body.graph_id', user: 'body.user_id' },
    summary: 'Queues a task for an agent or a graph. 200 if an earlier request with the same key did so.',
    source: 'Other route families; A7',
    body: TaskRequest,
    ...bodyWithFiles,
    headers: [idempotencyHeader],
    status: 202,
    repeatStatus: 200,
    reply: one,
    errors: [404, 409],
  },
  listTasks: {
    method: 'GET',
    path: '/api/tasks',
    auth: 'local',
    scope: 'read',
    subject: { rows: 'tasks', single: 'task', agent: 'agent_id', graph: 'graph_id', user: 'user_id' },
    summary: 'Lists tasks, newest first. With `id`, returns that task.',
    source: 'Other route families; A7',
    query: z.object({
      id: z.optional(PlatformId),
      agent_id: z.optional(Slug),
      graph_id: z.optional(Slug),
      status: z.optional(TaskStatus),
      limit: limitParameter(500),
      cursor: z.optional(PageCursor),
    }),
    reply: z.union([z.object({ tasks: z.array(Task), next_cursor: z.optional(PageCursor) }), one]),
    errors: [404],
  },
  getTask: {
    method: 'GET',
    path: '/api/tasks/{id}',
    auth: 'local',
    scope: 'read',
    subject: { found: 'task', id: 'params.id' },
    summary: 'Returns a task. If it has ended, the result is included.',
    source: 'A7',
    params: byId,
    reply: one,
    errors: [404],
  },
  cancelTask: {
    method: 'POST',
    path: '/api/tasks/{id}/cancel',
    auth: 'local',
    scope: 'run',
    subject: { found: 'task', id: 'params.id' },
    summary: 'Stops a task and its run. A task that has ended does not change.',
    source: 'A7',
    params: byId,
    reply: changed,
    errors: [404],
  },
  retryTask: {
    method: 'POST',
    path: '/api/tasks/{id}/retry',
    auth: 'local',
    scope: 'run',
    subject: { found: 'task', id: 'params.id' },
    summary: 'Queues a failed task again. Its attempts are counted from zero.',
    source: 'A7',
    params: byId,
    status: 202,
    reply: changed,
    errors: [404, 409],
  },
} as const satisfies Record<string, Operation>

import * as z from 'zod/mini'
import type { Operation } from '../operation.ts'
import {
  ScheduleInput,
  ScheduleOccurrence,
  SchedulePatch,
  ScheduleRunRequest,
  ScheduleState,
} from './schedule.ts'
import { idempotencyHeader } from './start-options.ts'
import { Task } from './task.ts'
import { Done, limitParameter, PageCursor, PlatformId, shortText } from './values.ts'

const byId = z.object({ id: PlatformId })

/** Schedules of agents and graphs: those of their own, and those that are fields of an agent or a graph. */
export const scheduleOperations = {
  listSchedules: {
    method: 'GET',
    path: '/api/schedules',
    auth: 'local',
    scope: 'read',
    subject: { rows: 'schedules', agent: 'agent_id', graph: 'graph_id' },
    summary: 'Lists all schedules with their next time, including the schedule fields of agents and graphs.',
    source: 'A9; additions 6',
    reply: z.object({ schedules: z.array(ScheduleState) }),
  },
  createSchedule: {
    method: 'POST',
    path: '/api/schedules',
    auth: 'local',
    scope: 'admin',
    subject: 'all',
    audit: { action: 'schedule.created', details: 'names' },
    summary:
      'Creates a schedule of an agent or a graph, which may have several schedules. There are at most 1,000 schedules.',
    source: 'additions 6',
    body: ScheduleInput,
    headers: [idempotencyHeader],
    status: 201,
    repeatStatus: 200,
    reply: z.object({ schedule: ScheduleState }),
    errors: [404, 409],
  },
  previewSchedule: {
    method: 'GET',
    path: '/api/schedules/preview',
    auth: 'local',
    scope: 'read',
    subject: 'none',
    summary: 'Returns the next times of a cron expression, as a preview before you save it.',
    source: 'A9',
    query: z.object({
      schedule: shortText(200),
      timezone: z.optional(shortText(100)),
      /** Number of times, 1 to 100. Default 5. */
      count: limitParameter(100),
    }),
    reply: z.object({ fires: z.array(z.string()) }),
  },
  updateSchedule: {
    method: 'PUT',
    path: '/api/schedules/{id}',
    auth: 'local',
    scope: 'admin',
    subject: 'all',
    audit: { action: 'schedule.updated', details: 'names' },
    summary:
      'Changes a schedule. Absent fields keep their value. To change the schedule field of an agent or a graph, change the agent or the graph.',
    source: 'additions 6',
    params: byId,
    body: SchedulePatch,
    reply: z.object({ ok: z.literal(true), schedule: ScheduleState }),
    errors: [404, 409],
  },
  deleteSchedule: {
    method: 'DELETE',
    path: '/api/schedules/{id}',
    auth: 'local',
    scope: 'admin',
    subject: 'all',
    audit: { action: 'schedule.deleted' },
    summary: 'Deletes a schedule. Its tasks stay.',
    source: 'additions 6',
    params: byId,
    reply: Done,
    errors: [404, 409],
  },
  runSchedule: {
    method: 'POST',
    path: '/api/schedules/{id}/run',
    auth: 'local',
    scope: 'run',
    subject: { found: 'schedule', id: 'params.id' },
    summary:
      'Creates the task of a schedule now, also if the schedule is disabled. 200 if an earlier request with the same key did so.',
    source: 'additions 6',
    params: byId,
    body: ScheduleRunRequest,
    optionalBody: true,
    headers: [idempotencyHeader],
    status: 202,
    repeatStatus: 200,
    reply: z.object({ task: Task }),
    errors: [404, 409],
  },
  listScheduleHistory: {
    method: 'GET',
    path: '/api/schedules/{id}/history',
    auth: 'local',
    scope: 'read',
    subject: { found: 'schedule', id: 'params.id' },
    summary: 'Lists the tasks of a schedule, newest first. Missed times are in the journal.',
    source: 'additions 6',
    params: byId,
    query: z.object({ limit: limitParameter(500), cursor: z.optional(PageCursor) }),
    reply: z.object({ history: z.array(ScheduleOccurrence), next_cursor: z.optional(PageCursor) }),
    errors: [404],
  },
} as const satisfies Record<string, Operation>

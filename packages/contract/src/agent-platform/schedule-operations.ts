import * as z from 'zod/mini'
import type { Operation } from '../operation.ts'
import { ScheduleState } from './schedule.ts'
import { limitText, shortText } from './values.ts'

/** Schedules of agents and graphs (A9). They are set with the agent or the graph. */
export const scheduleOperations = {
  listSchedules: {
    method: 'GET',
    path: '/api/schedules',
    auth: 'local',
    summary: 'Lists the schedules of agents and graphs, with the time that comes next.',
    source: 'A9',
    reply: z.object({ schedules: z.array(ScheduleState) }),
  },
  previewSchedule: {
    method: 'GET',
    path: '/api/schedules/preview',
    auth: 'local',
    summary: 'Gives the next times of a cron expression, to look at before it is saved.',
    source: 'A9',
    query: z.object({
      schedule: shortText(200),
      timezone: z.optional(shortText(100)),
      /** Times, 1 to 100. Default 5. */
      count: limitText(100),
    }),
    reply: z.object({ fires: z.array(z.string()) }),
  },
} as const satisfies Record<string, Operation>

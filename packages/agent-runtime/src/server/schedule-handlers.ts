import type { PlatformContext, PlatformHandlers } from './platform-context.ts'

type ScheduleHandlers = Pick<PlatformHandlers, 'listSchedules' | 'previewSchedule'>

/** Schedules of agents and graphs (A9). */
export function createScheduleHandlers({ services: { schedules } }: PlatformContext): ScheduleHandlers {
  return {
    listSchedules: async ({ request }) => ({ schedules: await schedules.list(request.signal) }),
    previewSchedule: async ({ query }) => ({ fires: await schedules.next(query) }),
  }
}

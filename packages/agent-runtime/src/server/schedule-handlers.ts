import { withIdempotencyKey } from './idempotency-key.ts'
import type { PlatformContext, PlatformHandlers } from './platform-context.ts'

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

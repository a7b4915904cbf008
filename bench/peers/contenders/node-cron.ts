import { schedule as scheduleJob, setLogger, type ScheduledTask } from 'node-cron'
import type { CreateScheduleContender } from '../../schedules/schedule-contender.ts'

const silent = () => {}
// It reports each of the thousands that it leaves out when it is late.
setLogger({ info: silent, warn: silent, error: silent, debug: silent })

export const createContender: CreateScheduleContender = async () => {
  const jobs: ScheduledTask[] = []
  return {
    async start(schedules, onFire) {
      for (const { schedule, timezone } of schedules) jobs.push(scheduleJob(schedule, onFire, { timezone }))
    },
    async close() {
      for (const job of jobs) await job.stop()
    },
  }
}

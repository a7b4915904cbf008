import { Cron } from 'croner'
import type { CreateScheduleContender } from '../../schedules/schedule-contender.ts'

export const createContender: CreateScheduleContender = async () => {
  const jobs: Cron[] = []
  return {
    async start(schedules, onFire) {
      for (const { schedule, timezone } of schedules) jobs.push(new Cron(schedule, { timezone }, onFire))
    },
    async close() {
      for (const job of jobs) job.stop()
    },
  }
}

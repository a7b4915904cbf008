export type { CronTimes } from './cron-times.ts'
export { nextOccurrence } from './next-occurrence.ts'
export { createCronReader, type CronReader } from './read-cron.ts'
export { createZoneClocks, type ClockChange, type ZoneClock } from './zone-clock.ts'

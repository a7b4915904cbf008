/** A cron expression with its time zone. */
export interface PlannedSchedule {
  readonly schedule: string
  readonly timezone: string
}

/** Something that carries out schedules. */
interface ScheduleContender {
  /** Begins to carry out schedules; `onFire` is called when each is carried out. */
  start(schedules: readonly PlannedSchedule[], onFire: () => void): Promise<void>
  close(): Promise<void>
}

/** Builds a contender; imports are part of it. `home` is an empty folder. */
export type CreateScheduleContender = (home: string) => Promise<ScheduleContender>

/** Those that are part of the project, and those that bench/peers installs. */
const modules = {
  'agent-runtime': 'contenders/agent-runtime.ts',
  'agent-runtime, tasks in memory': 'contenders/tasks-in-memory.ts',
  'agent-runtime, tasks in SQLite': 'contenders/tasks-in-sqlite.ts',
  croner: '../peers/contenders/croner.ts',
  'node-cron': '../peers/contenders/node-cron.ts',
} as const
export type SchedulerName = keyof typeof modules
export const schedulerNames = Object.keys(modules) as SchedulerName[]

/** Loads a contender by its name. */
export async function loadScheduler(name: SchedulerName, home: string): Promise<ScheduleContender> {
  // By address, not by name: the types of the peers are there only where bench/peers is installed.
  const module = new URL(modules[name], import.meta.url)
  const { createContender } = (await import(module.href)) as { createContender: CreateScheduleContender }
  return createContender(home)
}

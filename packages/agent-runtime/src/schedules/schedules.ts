import type { ScheduleState } from '@homeward/contract/agent-platform'

/** Which times of a cron expression. */
export interface ScheduleQuery {
  /** Cron expression; see {@link Schedules}. */
  readonly schedule: string
  /** IANA time zone. @default the runtime's `timezone` */
  readonly timezone?: string | undefined
  /** 1 to 100. @default 5 */
  readonly count?: number | undefined
  /** Only times behind this one, ISO 8601 text. @default now */
  readonly from?: string | undefined
}

/**
 * The schedules of agents and graphs (A9).
 *
 * A cron expression has five fields (minute, hour, day of the month, month, day of the week) or six, with seconds first.
 * A field is `*`, a value, a range `1-5`, a list `1,15` or a step, such as `0-30/10`; months and days of the week may be
 * names (`jan`, `mon`); the day of the week 0 and 7 are Sunday. When both days are given, either of them counts. `L`
 * is the last day of the month, `5L` the last Friday, `1#2` the second Monday. Also `@yearly`, `@annually`, `@monthly`,
 * `@weekly`, `@daily`, `@weekdays`, `@weekends`, `@hourly`, `@minutely` and `@secondly`. `H` is refused: it would mean
 * another time in each process.
 *
 * Where the clocks change, a local time that is left out fires once, at the first instant after the gap; one that
 * comes twice fires the first time only. What runs in every hour of the day, such as `*\/5 * * * *`, goes on evenly.
 */
export interface Schedules {
  /**
   * The next times of a cron expression, ISO 8601 text in UTC; fewer when it has no more.
   *
   * @throws {RuntimeError} `validation_error` that names the field.
   */
  next(query: ScheduleQuery): Promise<string[]>
  /** The schedules of all agents, then those of all graphs. */
  list(signal?: AbortSignal): Promise<ScheduleState[]>
}

import type {
  ScheduleInput,
  ScheduleOccurrence,
  SchedulePatch,
  ScheduleRunRequest,
  ScheduleState,
  Task,
} from '@homeward/contract/agent-platform'

/** Which part of a history. */
export interface ScheduleHistoryQuery {
  /** 1 to 500. @default 100 */
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
}

/** Which times of a cron expression. */
export interface ScheduleQuery {
  /** Cron expression; see {@link Schedules}. */
  readonly schedule: string
  /** IANA time zone. @default the runtime's `timezone` */
  readonly timezone?: string | undefined
  /** 1 to 100. @default 5 */
  readonly count?: number | undefined
  /** Only times after this one, as an ISO 8601 string. @default now */
  readonly from?: string | undefined
}

/**
 * The schedules of agents and graphs (A9): their fields `schedule`, and any number of schedules of their own.
 *
 * The id of a field is `agent:<id>` or `graph:<id>`. It can be run and has a history; to change it, change the agent or graph.
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
  /** The schedule fields of all agents, those of all graphs, then schedules of their own, oldest first. */
  list(signal?: AbortSignal): Promise<ScheduleState[]>
  /** A schedule, without the time of its last task. @returns undefined if there is none. */
  find(id: string, signal?: AbortSignal): Promise<ScheduleState | undefined>
  /**
   * Creates a schedule of an agent or a graph. It is deleted with its agent or graph. With an idempotency key that was used
   * before, that schedule is given instead: `created` is false.
   *
   * @throws {RuntimeError} `validation_error` that names the field; `not_found` if there is no such agent or graph; `conflict`
   * if there are 1,000 already, and for a key of another request.
   */
  create(
    schedule: ScheduleInput,
    signal?: AbortSignal,
  ): Promise<{ readonly schedule: ScheduleState; readonly created: boolean }>
  /**
   * Changes a schedule: absent fields keep their value, `null` clears them. With another `cron` or `timezone` it begins anew.
   *
   * @throws {RuntimeError} `validation_error`; `not_found`; `conflict` for the field of an agent or a graph.
   */
  update(id: string, patch: SchedulePatch, signal?: AbortSignal): Promise<ScheduleState>
  /**
   * Deletes a schedule. Its tasks stay.
   *
   * @throws {RuntimeError} `not_found`; `conflict` for the field of an agent or a graph.
   */
  delete(id: string, signal?: AbortSignal): Promise<void>
  /**
   * Makes the task of a schedule now, also if it is disabled. Its times stay as they are, and `overlap` does not count.
   *
   * @throws {RuntimeError} `not_found`; `conflict` for an idempotency key of another task.
   */
  run(
    id: string,
    request?: ScheduleRunRequest,
    signal?: AbortSignal,
  ): Promise<{ readonly task: Task; readonly created: boolean }>
  /**
   * Tasks of a schedule, newest first, as long as tasks are stored. Missed times are in the journal.
   *
   * @throws {RuntimeError} `not_found`
   */
  history(
    id: string,
    query?: ScheduleHistoryQuery,
    signal?: AbortSignal,
  ): Promise<{ readonly history: ScheduleOccurrence[]; readonly nextCursor?: string }>
}

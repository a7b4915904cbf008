import type {
  ScheduleInput,
  ScheduleOccurrence,
  SchedulePatch,
  ScheduleRunRequest,
  ScheduleState,
  Task,
} from '@homeward/contract/agent-platform'

/** Selects a page of a schedule's history. */
export interface ScheduleHistoryQuery {
  /** Page size, 1 to 500. @default 100 */
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
}

/** Selects times of a cron expression. */
export interface ScheduleQuery {
  /** Cron expression; see {@link Schedules}. */
  readonly schedule: string
  /** IANA time zone. @default the runtime's `timezone` */
  readonly timezone?: string | undefined
  /** Number of times, 1 to 100. @default 5 */
  readonly count?: number | undefined
  /** Returns only times after this one: ISO 8601 text. @default now */
  readonly from?: string | undefined
}

/**
 * The schedules of agents and graphs: their `schedule` fields, and any number of separate schedules.
 *
 * The id of a `schedule` field is `agent:<id>` or `graph:<id>`. Such a schedule can be run and has a history; to
 * change it, change the agent or graph.
 *
 * A cron expression has five fields (minute, hour, day of the month, month, day of the week) or six, with seconds
 * first. A field is `*`, a value, a range `1-5`, a list `1,15` or a step, such as `0-30/10`; months and days of the
 * week may be names (`jan`, `mon`); days of the week 0 and 7 are Sunday. If both days are given, either of them
 * matches. `L` is the last day of the month, `5L` the last Friday, `1#2` the second Monday. Also `@yearly`,
 * `@annually`, `@monthly`, `@weekly`, `@daily`, `@weekdays`, `@weekends`, `@hourly`, `@minutely` and `@secondly`. `H`
 * is rejected, because each process would choose another time.
 *
 * When the clocks change, a skipped local time runs once, at the first instant after the gap. A repeated local time
 * runs only the first time. A schedule that runs in every hour of the day, such as `*\/5 * * * *`, keeps its even
 * interval.
 */
export interface Schedules {
  /**
   * Returns the next times of a cron expression as ISO 8601 text in UTC; fewer if it ends.
   *
   * @throws {RuntimeError} `validation_error`, which names the field.
   */
  next(query: ScheduleQuery): Promise<string[]>
  /** Lists the `schedule` fields of all agents, those of all graphs, then separate schedules, oldest first. */
  list(signal?: AbortSignal): Promise<ScheduleState[]>
  /** Returns a schedule without the time of its last task. @returns undefined if it does not exist. */
  find(id: string, signal?: AbortSignal): Promise<ScheduleState | undefined>
  /**
   * Creates a schedule of an agent or a graph. It is deleted with its agent or graph. If a schedule with the same
   * idempotency key exists, that one is returned: `created` is false.
   *
   * @throws {RuntimeError} `validation_error`, which names the field; `not_found` if the agent or graph does not
   * exist; `conflict` if there are already 1,000 schedules, or the key belongs to a different request.
   */
  create(
    schedule: ScheduleInput,
    signal?: AbortSignal,
  ): Promise<{ readonly schedule: ScheduleState; readonly created: boolean }>
  /**
   * Changes a schedule. Absent fields keep their value, and `null` clears a field. With another `cron` or `timezone`,
   * the schedule starts again from now.
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
   * Creates the task of a schedule now, even if the schedule is disabled. Its scheduled times do not change, and
   * `overlap` is ignored.
   *
   * @throws {RuntimeError} `not_found`; `conflict` if the idempotency key belongs to another task.
   */
  run(
    id: string,
    request?: ScheduleRunRequest,
    signal?: AbortSignal,
  ): Promise<{ readonly task: Task; readonly created: boolean }>
  /**
   * Lists tasks of a schedule, newest first, as long as tasks are stored. Missed times are in the journal.
   *
   * @throws {RuntimeError} `not_found`
   */
  history(
    id: string,
    query?: ScheduleHistoryQuery,
    signal?: AbortSignal,
  ): Promise<{ readonly history: ScheduleOccurrence[]; readonly nextCursor?: string }>
}

import * as z from 'zod/mini'
import { CatchUp, Overlap, ReportTarget } from './agent.ts'
import { TaskStatus } from './task.ts'
import { clearable, CustomId, orAbsent, PlatformId, shortText, Slug } from './values.ts'

const cron = z.string().check(z.minLength(1), z.maxLength(200))
const input = z.string().check(z.maxLength(100_000))
const reportTo = z.array(ReportTarget).check(z.maxLength(10))

/**
 * A new schedule of an agent or a graph. Exactly one of `agent_id` and `graph_id` is required. An agent or graph can
 * have several schedules.
 */
export const ScheduleInput = z
  .object({
    agent_id: orAbsent(Slug),
    graph_id: orAbsent(Slug),
    name: orAbsent(shortText(200)),
    /** Cron expression: five fields, or six with seconds first. */
    cron,
    /** Task of each run. Default: a sentence that asks the agent to follow its instructions. */
    input: orAbsent(input),
    /** IANA time zone. Default: the platform's. */
    timezone: orAbsent(shortText(100)),
    /** How to handle scheduled times at which no server was running. Default `skip`. */
    catch_up: orAbsent(CatchUp),
    /** How to handle a scheduled time at which the previous task has not ended. Default `queue`. */
    overlap: orAbsent(Overlap),
    /** Default true. */
    enabled: orAbsent(z.boolean()),
    /** Chats that receive the results instead of the agent's own `report_to`. At most 10. */
    report_to: orAbsent(reportTo),
    /** A later request with the same key returns the same schedule. */
    idempotency_key: orAbsent(CustomId),
  })
  .check(
    z.refine(({ agent_id, graph_id }) => (agent_id === undefined) !== (graph_id === undefined), {
      error: 'exactly one of agent_id and graph_id is needed',
    }),
  )
export type ScheduleInput = z.infer<typeof ScheduleInput>

/** A change of a schedule. Absent fields keep their value; `null` and the empty string clear it. */
export const SchedulePatch = z.object({
  /**
   * Accepted only with the same value, so that you can send a schedule back. A schedule cannot move to another agent or
   * graph.
   */
  agent_id: orAbsent(Slug),
  graph_id: orAbsent(Slug),
  name: clearable(shortText(200)),
  cron: z.optional(cron),
  input: clearable(input),
  timezone: clearable(shortText(100)),
  catch_up: clearable(CatchUp),
  overlap: clearable(Overlap),
  enabled: clearable(z.boolean()),
  report_to: clearable(reportTo),
})
export type SchedulePatch = z.infer<typeof SchedulePatch>

/** A schedule of an agent or a graph, with its next and last time. */
export const ScheduleState = z.object({
  /** `agent:<id>` or `graph:<id>` if it is the schedule field of that agent or graph. */
  id: PlatformId,
  /** Exactly one of `agent_id` and `graph_id` is present. */
  agent_id: z.optional(Slug),
  graph_id: z.optional(Slug),
  name: z.optional(z.string()),
  /** Cron expression. */
  cron: z.string(),
  /** Same as `cron`. */
  schedule: z.string(),
  /** Absent if the default task is used. */
  input: z.optional(z.string()),
  /** IANA time zone of the schedule. */
  timezone: z.string(),
  catch_up: CatchUp,
  overlap: Overlap,
  enabled: z.boolean(),
  /** Absent if the agent's own `report_to` applies. */
  report_to: z.optional(z.array(ReportTarget)),
  /** Absent for the schedule field of an agent or a graph. */
  created_at: z.optional(z.string()),
  updated_at: z.optional(z.string()),
  /** Next scheduled time. Absent if the schedule is disabled, invalid, or has no further time. */
  next_fire: z.optional(z.string()),
  /** Last scheduled time that created a task. */
  last_fire: z.optional(z.string()),
  /** Reason why the schedule is invalid. */
  error: z.optional(z.string()),
})
export type ScheduleState = z.infer<typeof ScheduleState>

/** A task that a schedule created, or that a `run` request started. */
export const ScheduleOccurrence = z.object({
  /** Scheduled time. For `run`, the time of the call. */
  scheduled_for: z.string(),
  /** Whether a `run` request started the task. */
  manual: z.boolean(),
  task_id: PlatformId,
  /** State of the task. */
  state: TaskStatus,
  /** Id of the task's last run, once started. */
  run_id: z.optional(PlatformId),
  started_at: z.optional(z.string()),
  finished_at: z.optional(z.string()),
  /** Reason why the task failed. */
  error: z.optional(z.string()),
})
export type ScheduleOccurrence = z.infer<typeof ScheduleOccurrence>

/** Request for an additional task now. The times of the schedule do not change. */
export const ScheduleRunRequest = z.object({
  /** A later request with the same key returns the same task. */
  idempotency_key: orAbsent(CustomId),
})
export type ScheduleRunRequest = z.infer<typeof ScheduleRunRequest>

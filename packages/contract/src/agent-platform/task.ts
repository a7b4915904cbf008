import * as z from 'zod/mini'
import { RunLimits } from './agent.ts'
import { Budget } from './budget.ts'
import { FileReference, RunFiles } from './file.ts'
import { GraphRunResult } from './graph.ts'
import { ModelSettings } from './model-settings.ts'
import { ClientTools, RunResult } from './run.ts'
import { JsonObject } from '../json-value.ts'
import {
  ConversationId,
  CustomId,
  GivenMetadata,
  orAbsent,
  OutputSchema,
  PlatformId,
  Slug,
} from './values.ts'

/** Status of a task. While its run waits for an approval, the status is still `running`. */
export const TaskStatus = z.enum(['queued', 'running', 'completed', 'failed'])
export type TaskStatus = z.infer<typeof TaskStatus>

/** Reason why a task failed. */
export const TaskFailureCode = z.enum([
  'run_error',
  'timeout',
  'cancelled',
  'max_attempts',
  'not_found',
  'effect_uncertain',
  'guard_refused',
])
export type TaskFailureCode = z.infer<typeof TaskFailureCode>

/** Failure of a task. `retryable`: a retry may succeed. */
export const TaskFailure = z.object({
  code: TaskFailureCode,
  message: z.string(),
  retryable: z.boolean(),
})
export type TaskFailure = z.infer<typeof TaskFailure>

/** Work for an agent or a graph in the background. */
export const Task = z.object({
  id: PlatformId,
  /** Exactly one of `agent_id` and `graph_id` is present. */
  agent_id: z.optional(Slug),
  graph_id: z.optional(Slug),
  input: z.string(),
  /** Files that belong to the input. */
  files: z.optional(z.array(FileReference)),
  status: TaskStatus,
  created_at: z.string(),
  updated_at: z.string(),
  started_at: z.optional(z.string()),
  finished_at: z.optional(z.string()),
  /** Earliest start of the next attempt, for a task that waits for a retry. */
  run_at: z.optional(z.string()),
  /** Among tasks of one agent, those with a larger priority run first. */
  priority: z.int(),
  /** Whether a schedule created the task. */
  scheduled_run: z.optional(z.boolean()),
  /** Schedule of the task, also for a manual run of the schedule. */
  schedule_id: z.optional(PlatformId),
  /** Trigger that created the task. */
  trigger_id: z.optional(PlatformId),
  /** Cron expression of the schedule. */
  schedule: z.optional(z.string()),
  /** Scheduled time of the task. */
  scheduled_for: z.optional(z.string()),
  conversation_id: z.optional(PlatformId),
  user_id: z.optional(PlatformId),
  run_id: z.optional(PlatformId),
  /** Number of started attempts. */
  attempt: z.int(),
  max_attempts: z.int(),
  idempotency_key: z.optional(PlatformId),
  metadata: z.optional(JsonObject),
  result: z.optional(z.union([RunResult, GraphRunResult])),
  failure: z.optional(TaskFailure),
})
export type Task = z.infer<typeof Task>

/** A new task. Exactly one of `agent_id` and `graph_id` is required. */
export const TaskRequest = z
  .object({
    agent_id: orAbsent(Slug),
    graph_id: orAbsent(Slug),
    task: z.string().check(z.minLength(1), z.maxLength(1_000_000)),
    conversation_id: orAbsent(ConversationId),
    user_id: orAbsent(CustomId),
    /** Files of the task, as in a run request. They are read when the task is created. */
    files: orAbsent(RunFiles),
    limits: orAbsent(RunLimits),
    budget: orAbsent(Budget),
    /** Overrides of the agent's settings, field by field. */
    model_settings: orAbsent(ModelSettings),
    /** Tools that the client runs: see `runAgent`. Not allowed for graphs. */
    client_tools: orAbsent(ClientTools),
    /** Replaces the agent's schema for this run. At most 65,536 characters as JSON. */
    output_schema: orAbsent(OutputSchema),
    /** Among tasks of one agent, those with a larger priority run first. Default 0. */
    priority: orAbsent(z.int().check(z.gte(-1000), z.lte(1000))),
    /** Maximum number of attempts. Default 3. */
    max_attempts: orAbsent(z.int().check(z.gte(1), z.lte(100))),
    /** Returned with the task and its run. At most 65,536 characters as JSON. */
    metadata: orAbsent(GivenMetadata),
    /** A later request with the same key returns the same task. */
    idempotency_key: orAbsent(CustomId),
  })
  .check(
    z.refine(({ agent_id, graph_id }) => (agent_id === undefined) !== (graph_id === undefined), {
      error: 'exactly one of agent_id and graph_id is needed',
    }),
    // Each node of a graph is a run of its own, with a conversation and the limits of its agent.
    z.refine(({ graph_id, conversation_id }) => graph_id === undefined || conversation_id === undefined, {
      error: 'a graph has no conversation: leave conversation_id out',
    }),
    z.refine(({ graph_id, files }) => graph_id === undefined || files === undefined, {
      error: 'a graph takes no files: leave files out',
    }),
    z.refine(({ graph_id, limits }) => graph_id === undefined || limits === undefined, {
      error: "a graph's nodes have the limits of their agents: leave limits out, or set budget",
    }),
    z.refine(({ graph_id, client_tools }) => graph_id === undefined || client_tools === undefined, {
      error: 'graphs have no tools of the caller: leave client_tools out',
      path: ['client_tools'],
    }),
    z.refine(({ graph_id, model_settings }) => graph_id === undefined || model_settings === undefined, {
      error: "a graph's nodes have the settings of their agents: leave model_settings out",
    }),
    z.refine(({ graph_id, output_schema }) => graph_id === undefined || output_schema === undefined, {
      error: "a graph's nodes have the schemas of their agents: leave output_schema out",
    }),
  )
export type TaskRequest = z.infer<typeof TaskRequest>

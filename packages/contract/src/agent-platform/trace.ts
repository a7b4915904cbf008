import * as z from 'zod/mini'
import { Json } from '../json-value.ts'
import { Cost } from './cost.ts'
import { Usage } from './usage.ts'
import { CustomId, orAbsent, PlatformId } from './values.ts'

/** One attempt of a step. All except the last failed. */
export const StepAttempt = z.object({
  /** Called model: `provider/model-id`. Absent for tools and nodes. */
  model: z.optional(z.string()),
  /** Run that the attempt of a node started. */
  run_id: z.optional(PlatformId),
  started_at: z.optional(z.string()),
  finished_at: z.optional(z.string()),
  /** Reason for the failure. */
  error: z.optional(z.string()),
})
export type StepAttempt = z.infer<typeof StepAttempt>

/** The whole prompt of one model call, without secrets. Long texts are cut. */
const StepPrompt = z.object({
  /**
   * Agent version at the start of the run. If that version is no longer stored, this field is absent and the prompt
   * shows the current agent.
   */
  agent_version: z.optional(z.int()),
  /** System message: personality, skills, rules, and the request's additions. */
  instructions: z.string(),
  /** Tools that the model could call, with their current descriptions. */
  tools: z.array(
    z.object({ name: z.string(), description: z.optional(z.string()), parameters: z.optional(Json) }),
  ),
  /**
   * Earlier messages of the conversation, the task, and the run's messages before the call. Each has `role` and
   * `content`.
   */
  messages: z.array(Json),
})
/** Type of a `StepPrompt`: the whole prompt of one model call, without secrets. */
export type StepPrompt = z.infer<typeof StepPrompt>

/** A step of a run: a call of a model or a tool, or a node of a graph. */
export const TraceStep = z.object({
  /** Index in the list, starting at 0. */
  index: z.int(),
  /** Stable while the run is stored. */
  id: z.string(),
  type: z.enum(['model', 'tool', 'node']),
  /** `id` of the `run_code` step whose program made this call. */
  parent: z.optional(z.string()),
  /** `provider/model-id` of the model that was used, or id of the tool or node. */
  name: z.string(),
  /** Status. `waiting`: for a person or for another run. */
  status: z.enum(['running', 'waiting', 'completed', 'failed', 'skipped']),
  /**
   * Input of the step, without secrets.
   *
   * For a model: its new messages, each with `role` and `content`. For a tool: its arguments. For a node: its task. A
   * value that is too long becomes a cut string with a mark at its end.
   */
  input: z.optional(Json),
  /**
   * Output of the step, without secrets: a model message with `content` and `tool_calls`, a tool result, or a node's
   * text.
   */
  output: z.optional(Json),
  /** The whole prompt. Present only for the step that the query parameter `prompt` names. */
  prompt: z.optional(StepPrompt),
  error: z.optional(z.string()),
  /** Which of `input` and `output` were cut. Absent if neither was. */
  cut: z.optional(z.array(z.enum(['input', 'output']))),
  /** Attempts in order. The last one is the step's outcome; earlier ones failed. */
  attempts: z.array(StepAttempt),
  /** Tokens of a model call, or of all runs of a node. */
  tokens: z.optional(Usage),
  /** Cost. Absent without a price. */
  cost: z.optional(Cost),
  started_at: z.optional(z.string()),
  finished_at: z.optional(z.string()),
  duration_ms: z.optional(z.int()),
  /** True if a rerun reused the step of the previous run. Absent otherwise. */
  reused: z.optional(z.literal(true)),
})
export type TraceStep = z.infer<typeof TraceStep>

/** Request to run a run again. */
export const RerunRequest = z.object({
  /**
   * `index` or `id` of the step to start from. Earlier steps are reused and not repeated. Default: start from the
   * beginning.
   */
  from_step: orAbsent(z.union([z.int().check(z.gte(0)), z.string().check(z.minLength(1), z.maxLength(200))])),
  /**
   * `failed`: reruns a failed or canceled graph run from its failed nodes.
   *
   * Completed nodes keep their results, unless a node before them failed. All other nodes run again with the graph as
   * it was in that run. Cannot be combined with `task`. Default: the whole current graph runs again.
   */
  from: orAbsent(z.literal('failed')),
  /** Replaces the task of the run. */
  task: orAbsent(z.string().check(z.minLength(1), z.maxLength(1_000_000))),
  /** A later request with the same key returns the same run. */
  idempotency_key: orAbsent(CustomId),
})
export type RerunRequest = z.infer<typeof RerunRequest>

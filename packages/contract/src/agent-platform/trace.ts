import * as z from 'zod/mini'
import { Json } from '../json-value.ts'
import { Cost } from './cost.ts'
import { Usage } from './usage.ts'
import { CustomId, orAbsent, PlatformId } from './values.ts'

/** One attempt at a step. All but the last failed. */
export const StepAttempt = z.object({
  /** `provider/model-id` that was called. Absent for tools and nodes. */
  model: z.optional(z.string()),
  /** Run that the attempt of a node started. */
  run_id: z.optional(PlatformId),
  started_at: z.optional(z.string()),
  finished_at: z.optional(z.string()),
  /** Why it failed. */
  error: z.optional(z.string()),
})
export type StepAttempt = z.infer<typeof StepAttempt>

/** Everything that a model read at one call, without secrets. Long texts are cut. */
const StepPrompt = z.object({
  /** Version of the agent that the run began with. Absent if it is no longer stored: then this is the agent as it is now. */
  agent_version: z.optional(z.int()),
  /** The system message: personality, skills and rules, and what the caller added. */
  instructions: z.string(),
  /** Tools that the model could call. They are described as they are now. */
  tools: z.array(
    z.object({ name: z.string(), description: z.optional(z.string()), parameters: z.optional(Json) }),
  ),
  /** Earlier messages of the conversation, the task, and the messages of the run before the call: each has `role` and `content`. */
  messages: z.array(Json),
})
/** Type of a `StepPrompt`: everything that a model read at one call, without secrets. */
export type StepPrompt = z.infer<typeof StepPrompt>

/** A step of a run: a call of a model or a tool, or a node of a graph. */
export const TraceStep = z.object({
  /** Place in the list, from 0 on. */
  index: z.int(),
  /** Stays the same for as long as the run is stored. */
  id: z.string(),
  type: z.enum(['model', 'tool', 'node']),
  /** `id` of the `run_code` step whose program made this call. */
  parent: z.optional(z.string()),
  /** `provider/model-id` of the model that answered, or the id of the tool or node. */
  name: z.string(),
  /** `waiting`: for a person, or for another run. */
  status: z.enum(['running', 'waiting', 'completed', 'failed', 'skipped']),
  /**
   * What the step was given, without secrets. A model: the messages that are new to it, each with `role` and `content`. A
   * tool: its arguments. A node: its task. A value that is too long is cut to a string that ends with a mark.
   */
  input: z.optional(Json),
  /** What came of it, without secrets: a model's message with `content` and `tool_calls`, a tool's result, a node's text. */
  output: z.optional(Json),
  /** Everything that the model read. Only of the step that `prompt` names. */
  prompt: z.optional(StepPrompt),
  error: z.optional(z.string()),
  /** Which of `input` and `output` were cut. Absent if neither was. */
  cut: z.optional(z.array(z.enum(['input', 'output']))),
  /** In order. The last one is the step's own; those before it failed. */
  attempts: z.array(StepAttempt),
  /** Tokens of a model call, or of all runs of a node. */
  tokens: z.optional(Usage),
  /** Absent without a price. */
  cost: z.optional(Cost),
  started_at: z.optional(z.string()),
  finished_at: z.optional(z.string()),
  duration_ms: z.optional(z.int()),
  /** Present, and true, if a rerun took the step over from the run before: nothing was done again for it. */
  reused: z.optional(z.literal(true)),
})
export type TraceStep = z.infer<typeof TraceStep>

/** How a run is started again. */
export const RerunRequest = z.object({
  /**
   * `index` or `id` of the step to start from. The steps before it are taken over as they are, and nothing of them is done
   * again. Default: from the start.
   */
  from_step: orAbsent(z.union([z.int().check(z.gte(0)), z.string().check(z.minLength(1), z.maxLength(200))])),
  /**
   * `failed`, for a graph's run that failed or was canceled: nodes that completed keep their results, unless a node before them
   * failed. All others run again. The graph stays as it was in that run. Excludes `task`. Default: the whole graph runs again, as
   * it is now.
   */
  from: orAbsent(z.literal('failed')),
  /** Takes the place of the run's task. */
  task: orAbsent(z.string().check(z.minLength(1), z.maxLength(1_000_000))),
  /** A later request with the same key returns the same run. */
  idempotency_key: orAbsent(CustomId),
})
export type RerunRequest = z.infer<typeof RerunRequest>

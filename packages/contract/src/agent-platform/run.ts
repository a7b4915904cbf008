import * as z from 'zod/mini'
import { RunLimits } from './agent.ts'
import { Budget } from './budget.ts'
import { Cost } from './cost.ts'
import { Feedback } from './feedback.ts'
import { ResultFile, RunFiles } from './file.ts'
import { GraphRunResult } from './graph.ts'
import { ModelSettings } from './model-settings.ts'
import { AnswerSource } from './source.ts'
import { RunSource } from './run-source.ts'
import { Usage } from './usage.ts'
import { Wait } from './wait.ts'
import { Json, JsonObject } from '../json-value.ts'
import {
  ConversationId,
  CustomId,
  GivenMetadata,
  MessageId,
  orAbsent,
  OutputSchema,
  PlatformId,
  Slug,
} from './values.ts'

/** Most messages that a request may bring along, and most characters of all of them. */
const maxMessages = 1000
const maxMessageCharacters = 2_000_000

/** An earlier message of a request that contains its own history. */
export const RunMessage = z
  .object({
    role: z.enum(['user', 'assistant']),
    content: z.string(),
    /** Files of a `user` message, at most 20. */
    files: orAbsent(RunFiles),
  })
  .check(
    z.refine(({ role, files }) => role === 'user' || files === undefined, {
      error: 'only messages of role "user" may have files',
      path: ['files'],
    }),
  )
export type RunMessage = z.infer<typeof RunMessage>

const RunMessages = z.array(RunMessage).check(
  z.maxLength(maxMessages),
  z.refine((messages) => charactersOf(messages) <= maxMessageCharacters, {
    error: `must have at most ${maxMessageCharacters} characters in all`,
  }),
)

const charactersOf = (messages: readonly RunMessage[]) =>
  messages.reduce((sum, { content }) => sum + content.length, 0)

/** A tool that the client runs. */
export const ClientTool = z.object({
  name: z.string().check(z.regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be 1 to 64 letters, digits, "_" or "-"')),
  description: orAbsent(z.string().check(z.maxLength(4096))),
  /** JSON Schema of the arguments. Default: any object. At most 65,536 characters as JSON. */
  parameters: orAbsent(OutputSchema),
})
export type ClientTool = z.infer<typeof ClientTool>

/** Tools that the client runs, at most 64. */
export const ClientTools = z.array(ClientTool).check(z.maxLength(64))

/** Request to run an agent. */
export const RunRequest = z.object({
  agent_id: Slug,
  task: z.string().check(z.minLength(1), z.maxLength(1_000_000)),
  conversation_id: orAbsent(ConversationId),
  /** Id for the task's message, unique in the conversation. Default: the platform creates one. */
  message_id: orAbsent(MessageId),
  /**
   * Id of a user message in the conversation that the task replaces, together with all later messages.
   *
   * An active or waiting run of the conversation is canceled first. With `regenerate`, also the id of a run: its
   * answer and all later messages are replaced.
   */
  replaces: orAbsent(MessageId),
  user_id: orAbsent(CustomId),
  /** Lower limits than the agent's own, for this run. */
  limits: orAbsent(RunLimits),
  /** A lower budget than the agent's own, for this run. */
  budget: orAbsent(Budget),
  /** Overrides of the agent's settings for this run, field by field. */
  model_settings: orAbsent(ModelSettings),
  /** Replaces the agent's schema for this run. At most 65,536 characters as JSON. */
  output_schema: orAbsent(OutputSchema),
  /** Whether the turn is stored in the conversation. Default true. */
  store: orAbsent(z.boolean()),
  /**
   * Whether to answer the newest question of the conversation again.
   *
   * `task` must repeat that question, which is not stored twice. The previous answer stays in the conversation, but
   * models no longer read it. Default false.
   */
  regenerate: orAbsent(z.boolean()),
  /** Returned with the run. At most 65,536 characters as JSON. */
  metadata: orAbsent(GivenMetadata),
  /**
   * Makes retries safe: a later request with the same key returns the same run. The same key with a different task,
   * user or conversation is a conflict.
   */
  idempotency_key: orAbsent(CustomId),
  /**
   * Earlier messages, oldest first, instead of a stored conversation. `task` is the next message.
   *
   * Requires `store: false`, without `conversation_id` and `regenerate`. At most 1,000 messages with 2,000,000
   * characters in total.
   */
  messages: orAbsent(RunMessages),
  /** Files of the task: pictures, documents or sound. At most 20. Their content is untrusted. */
  files: orAbsent(RunFiles),
  /**
   * Tools that the client runs, at most 64, in addition to the agent's tools. When the model calls one, the run waits
   * with a wait of kind `client_tool`. Results are untrusted.
   */
  client_tools: orAbsent(ClientTools),
})
export type RunRequest = z.infer<typeof RunRequest>

/** One finished tool call with either `result` or `error`. */
export const RunStep = z.object({
  tool: z.string(),
  args: Json,
  result: z.optional(Json),
  error: z.optional(z.string()),
})
export type RunStep = z.infer<typeof RunStep>

/**
 * Reason why a run stopped. `approval`: the run waits, among other things, for an approval. `waiting`: it waits for
 * something else.
 */
export const StopReason = z.enum([
  'done',
  'max_turns',
  'max_tokens',
  'max_runtime',
  'cancelled',
  'approval',
  'waiting',
  'error',
])
export type StopReason = z.infer<typeof StopReason>

/** A tool call that waits for approval. */
export const Approval = z.object({
  id: PlatformId,
  run_id: PlatformId,
  tool: z.string(),
  /** Arguments from the model, without secrets. */
  args: Json,
  /** Status. `responded`: a person answered instead of the tool, which was not called. */
  status: z.enum(['pending', 'approved', 'denied', 'responded']),
  /** Arguments of the call, if the person changed them. */
  edited_args: z.optional(JsonObject),
  reason: z.optional(z.string()),
  /** The text that the model reads as the tool's result. Present if `status` is `responded`. */
  response: z.optional(z.string()),
  created_at: z.string(),
  /** Time at which the call is denied if nobody has decided. */
  expires_at: z.optional(z.string()),
  decided_at: z.optional(z.string()),
  /**
   * Who decided: the user of the caller, `token:<name>`, `local`, or a person in a messenger, such as `telegram:42`.
   * `timeout` if nobody decided in time.
   */
  decided_by: z.optional(z.string()),
})
export type Approval = z.infer<typeof Approval>

/** Result of a run, or its state while the run waits. */
export const RunResult = z.object({
  success: z.boolean(),
  /** The last text of the model. With `output_schema`, the JSON text of `data`. */
  output: z.string(),
  /** The structured output, which matches `output_schema`. Absent if the run failed or has not ended. */
  data: z.optional(Json),
  error: z.optional(z.string()),
  code: z.optional(z.string()),
  /** True if a retry of the same task may succeed, for example because the provider was down. Absent otherwise. */
  retryable: z.optional(z.literal(true)),
  turns: z.int(),
  tool_calls: z.int(),
  steps: z.array(RunStep),
  usage: Usage,
  model: z.string(),
  run_id: PlatformId,
  conversation_id: PlatformId,
  stop_reason: StopReason,
  /** Files that the model made, in order. */
  files: z.optional(z.array(ResultFile)),
  /** Sources of the answer: pages that the provider named, and passages that `search_documents` returned. */
  sources: z.optional(z.array(AnswerSource)),
  /** Warnings of providers, such as ignored settings or tools that the model cannot call. */
  warnings: z.optional(z.array(z.string())),
  /** Tool calls that wait for approval. Present if `stop_reason` is `approval`. */
  approvals: z.optional(z.array(Approval)),
  /** Everything that the run waits for, including approvals. Present while the run waits. */
  waits: z.optional(z.array(Wait)),
})
export type RunResult = z.infer<typeof RunResult>

/** Status of a run. `waiting`: see `waits`. */
export const RunStatus = z.enum(['running', 'waiting', 'completed', 'failed', 'cancelled'])
export type RunStatus = z.infer<typeof RunStatus>

/** Handling of a message to an active run. */
export const RunMessageMode = z.enum(['steer', 'queue'])
export type RunMessageMode = z.infer<typeof RunMessageMode>

/** A message to an active or waiting run. */
export const RunMessageRequest = z.object({
  text: z.string().check(z.minLength(1), z.maxLength(100_000)),
  /**
   * `steer`: the model reads the message in the next model call of this run. `queue`: the message becomes the task of
   * the next run in the same conversation, which starts when this run has ended, unless canceled. Default `steer`.
   */
  mode: orAbsent(RunMessageMode),
  /** A later request with the same key returns the same message. */
  idempotency_key: orAbsent(CustomId),
})
export type RunMessageRequest = z.infer<typeof RunMessageRequest>

/** A run as in `GET /api/runs/{id}`. */
export const Run = z.object({
  id: PlatformId,
  /** Exactly one of `agent_id` and `graph_id` is present. */
  agent_id: z.optional(Slug),
  graph_id: z.optional(Slug),
  /** Version of the agent when the run started. Absent for runs of graphs. */
  agent_version: z.optional(z.int()),
  /** Conversation of an agent's run. */
  conversation_id: z.optional(PlatformId),
  /** Run that started this run: a graph run, or the run of an agent that called this agent. */
  parent_run_id: z.optional(PlatformId),
  /** How the run was started. */
  source: RunSource,
  /** Run that this one repeats. */
  rerun_of: z.optional(PlatformId),
  user_id: z.optional(PlatformId),
  task: z.string(),
  /** The `metadata` of the request. */
  metadata: z.optional(JsonObject),
  status: RunStatus,
  created_at: z.string(),
  finished_at: z.optional(z.string()),
  /** Milliseconds from `created_at` to the end of the run, or until now. */
  duration_ms: z.optional(z.int()),
  /**
   * Cost of the model calls so far, in US dollars. For a graph, the sum of its nodes once the run has ended. Absent
   * if a used model has no price.
   */
  cost: z.optional(Cost),
  /** Present if the run has ended or waits. */
  result: z.optional(z.union([RunResult, GraphRunResult])),
  approvals: z.array(Approval),
  /** Undelivered messages to the run. Absent if all were delivered. */
  messages: z.optional(z.array(z.object({ id: PlatformId, mode: RunMessageMode, text: z.string() }))),
  /** Open waits of the run and the runs below it, and past waits of the run itself. An approval is in both lists. */
  waits: z.array(Wait),
  /** Feedback on the run. A user-limited caller sees only its own. Absent without feedback. */
  feedback: z.optional(z.array(Feedback)),
})
export type Run = z.infer<typeof Run>

/** Where a decision is remembered: in the conversation, or in all conversations of the agent. */
export const ApprovalScope = z.enum(['conversation', 'agent'])
export type ApprovalScope = z.infer<typeof ApprovalScope>

/**
 * A person's decision about a waiting tool call: `approve` runs the call, `deny` rejects it, and `respond` gives the
 * model a text instead of the tool's result.
 */
export const ApprovalDecision = z
  .object({
    decision: z.enum(['approve', 'deny', 'respond']),
    /** With `approve`: arguments that replace the model's. They must match the tool's schema. */
    args: orAbsent(GivenMetadata),
    /** With `deny`: a reason that the model reads. At most 2,000 characters. */
    reason: orAbsent(z.string().check(z.maxLength(2000))),
    /** With `respond`: text that the model reads as the tool's result. At most 100,000 characters. */
    text: orAbsent(z.string().check(z.minLength(1), z.maxLength(100_000))),
    /**
     * Remembers the decision for later calls of the same tool with identical arguments, in this conversation or in
     * all conversations of the agent.
     *
     * It applies only to runs of the same user; without a user, to runs without one. A remembered approval does not
     * cover an external call of a run that has read untrusted content.
     */
    remember: orAbsent(ApprovalScope),
  })
  .check(
    z.refine(({ decision, args }) => decision === 'approve' || args === undefined, {
      error: 'is allowed with "approve" only',
      path: ['args'],
    }),
    z.refine(({ decision, text }) => (decision === 'respond') === (text !== undefined), {
      error: 'is required with "respond", and allowed with "respond" only',
      path: ['text'],
    }),
  )
export type ApprovalDecision = z.infer<typeof ApprovalDecision>

/** A decision that applies to later calls of the same tool with identical arguments. */
export const RememberedApproval = z.object({
  id: PlatformId,
  agent_id: Slug,
  /** User whose runs the decision applies to. Absent: runs without a user. */
  user_id: z.optional(PlatformId),
  /** Present if the decision applies in this conversation only. */
  conversation_id: z.optional(PlatformId),
  tool: z.string(),
  /** Arguments that the decision applies to, without secrets. */
  args: Json,
  decision: z.enum(['approve', 'deny', 'respond']),
  edited_args: z.optional(JsonObject),
  reason: z.optional(z.string()),
  text: z.optional(z.string()),
  created_at: z.string(),
})
export type RememberedApproval = z.infer<typeof RememberedApproval>

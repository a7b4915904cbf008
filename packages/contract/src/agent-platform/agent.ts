import * as z from 'zod/mini'
import { Json } from '../json-value.ts'
import { Budget, UserBudget } from './budget.ts'
import { ChannelName } from './channel.ts'
import { McpServerName } from './mcp-server.ts'
import { FallbackModel, ModelSettings } from './model-settings.ts'
import {
  type Clearable,
  clearable,
  ConversationId,
  CustomId,
  orAbsent,
  OutputSchema,
  shortText,
  Slug,
} from './values.ts'

/** Limits that stop a run. Absent limits have the platform's defaults. */
export const RunLimits = z.object({
  /** Maximum number of model turns. Default 10. */
  max_turns: orAbsent(z.int().check(z.gte(1), z.lte(1000))),
  /** Maximum output in tokens, of each model call and of the whole run. Default: none. */
  max_tokens: orAbsent(z.int().check(z.gte(1), z.lte(10_000_000))),
  /** Maximum duration in seconds, at most 23 days. Fractions are allowed. Default 600. */
  max_runtime: orAbsent(z.number().check(z.gt(0), z.lte(2_000_000))),
})
export type RunLimits = z.infer<typeof RunLimits>

/** Handling of scheduled runs that were missed while the platform was down. */
export const CatchUp = z.enum(['skip', 'latest', 'all'])
export type CatchUp = z.infer<typeof CatchUp>

/** Handling of a scheduled run while the previous run is still active: skipped, or started afterwards. */
export const Overlap = z.enum(['skip', 'queue'])
export type Overlap = z.infer<typeof Overlap>

/** A tool that the model provider runs. */
export const HostedTool = z.enum(['web_search'])
export type HostedTool = z.infer<typeof HostedTool>

const ToolName = z.string().check(z.minLength(1), z.maxLength(128))

/** Name of a skill: of its folder, or as its file says. */
const SkillName = shortText(128)

/** Limits for the use of the model's context window. */
export const ContextLimits = z.object({
  /** Context window of the model in tokens, for prompt and answer together. Default: the known value of the model. */
  window_tokens: orAbsent(z.int().check(z.gte(256), z.lte(100_000_000))),
  /**
   * Maximum number of tokens for earlier messages of the conversation. Default: 32,000, and at most half of the free
   * window.
   */
  history_tokens: orAbsent(z.int().check(z.gte(0), z.lte(100_000_000))),
})
export type ContextLimits = z.infer<typeof ContextLimits>

/** A rule about calls of one tool. */
export const ApprovalRule = z.object({
  tool: ToolName,
  /** JSON Schema of the arguments that the rule applies to, at most 65,536 characters. Default: all arguments. */
  when: orAbsent(OutputSchema),
  /**
   * `ask`: a person has to approve the call. `allow`: the call runs at once, but an external call of a run that has
   * read untrusted content still needs approval. `deny`: the call is rejected.
   */
  decision: z.enum(['ask', 'allow', 'deny']),
})
export type ApprovalRule = z.infer<typeof ApprovalRule>

/** A chat that receives the results of an agent's tasks. */
export const ReportTarget = z.object({
  /** Name of a channel, such as `channel_a` or `telegram`. */
  channel: ChannelName,
  /** Chat id as in `POST /api/channels/{channel}/send`: a chat from which the agent has received a message. */
  conversation_id: ConversationId,
})
export type ReportTarget = z.infer<typeof ReportTarget>

/** What people choose about an agent, and may leave out. */
const optionalFields = {
  name: shortText(200),
  description: z.string().check(z.maxLength(2000)),
  provider: Slug,
  /** How `model` is called. Settings of a run override these one by one. */
  model_settings: ModelSettings,
  /**
   * Models that are tried in order if `model` fails before its first token. The settings of `model` apply only to fallback
   * models of the same provider, and settings of the fallback model override them.
   */
  fallback_models: z.array(FallbackModel).check(z.maxLength(5)),
  personality: z.string().check(z.maxLength(100_000)),
  /**
   * JSON Schema of the output, at most 65,536 characters. Runs then have `data`, which matches the schema, and `output` is
   * the JSON text of `data`. The agent keeps its tools.
   */
  output_schema: OutputSchema,
  skills: z.array(SkillName).check(z.maxLength(200)),
  /**
   * Limits the agent to these tools of its skills, your app and the built-in ones. The list never adds a tool. An empty list
   * limits nothing.
   */
  tools: z.array(ToolName).check(z.maxLength(500)),
  /**
   * Offers the tool `ask_user`: the model asks a person, and the run waits for the answer. Default false. `tools` need not name it.
   */
  ask_user: z.boolean(),
  /**
   * Offers the tool `run_code`: the model writes a JavaScript program that calls the agent's tools. It needs the package
   * `quickjs-wasi`. Default false. `tools` need not name it.
   */
  code: z.boolean(),
  /**
   * What a message in a chat does while a run of its conversation works or waits: `queue` starts the next run with it, `steer` gives it
   * to the next model call of the run. Default `queue`.
   */
  while_running: z.enum(['queue', 'steer']),
  /** Tools whose calls always wait for a person's approval. */
  approval_tools: z.array(ToolName).check(z.maxLength(500)),
  /**
   * Rules about tool calls, at most 100. The first rule that matches decides, before `approval_tools`. A call with external
   * effects after untrusted content still waits for a person.
   */
  approvals: z.array(ApprovalRule).check(z.maxLength(100)),
  /** Seconds until a call that waits for a person is denied, at least 1. Default: 86,400 (a day). */
  approval_timeout: z.int().check(z.gte(1), z.lte(31_536_000)),
  /**
   * Seconds until a wait expires, at least 1. Default: `approval_timeout`, or 86,400 (a day). Approvals keep `approval_timeout` if
   * both are set.
   */
  wait_timeout: z.int().check(z.gte(1), z.lte(31_536_000)),
  /**
   * Tools that the model's provider runs: OpenAI (Responses), Anthropic and Google have `web_search`. With another provider the
   * run does not start.
   */
  hosted_tools: z.array(HostedTool).check(z.maxLength(10)),
  /** Names of MCP servers whose tools the agent may use. Operators configure the servers. */
  mcp_servers: z.array(McpServerName).check(z.maxLength(20)),
  /**
   * Collections that the agent searches with the tool `search_documents`, at most 20. A collection that does not exist is a warning of
   * each run. Of a collection with `per_user`, a run finds the documents of its user only.
   */
  collections: z.array(Slug).check(z.maxLength(20)),
  /**
   * The people who signed in at the identity provider and may use the agent, besides administrators: `everyone`, or a list of
   * subjects or verified e-mail addresses, at most 1,000. Each is a user, who reaches only what is its own. Default: nobody.
   */
  users: z.union([z.literal('everyone'), z.array(CustomId).check(z.maxLength(1000))]),
  /**
   * `user`: each user has files of its own, and runs without a user share theirs. `agent`: all runs share the files. Default
   * `user`.
   */
  workspace: z.enum(['user', 'agent']),
  limits: RunLimits,
  context: ContextLimits,
  /** Cron expression. The agent runs automatically at these times. */
  schedule: z.string().check(z.maxLength(200)),
  schedule_input: z.string().check(z.maxLength(100_000)),
  schedule_enabled: z.boolean(),
  /** IANA time zone of the schedule. Default: the platform's. */
  timezone: shortText(100),
  catch_up: CatchUp,
  /** Default `queue`. */
  overlap: Overlap,
  /**
   * How long a provider caches the beginning of a prompt, so that the next call pays less for it. Anthropic only, also
   * through OpenRouter. `off` sends neither cache marks nor cache keys. Default `5m`.
   */
  prompt_cache: z.enum(['off', '5m', '1h']),
  /**
   * Chats that get the result of each task and each scheduled run once, also of failed ones. At most 10 chats, whose people
   * and groups must be allowed. The result of a task from a chat goes to that chat and is not reported. Runs
   * without a task are not reported.
   */
  report_to: z.array(ReportTarget).check(z.maxLength(10)),
  /** How much its model calls may cost, together with those of the agents that it calls. */
  budget: Budget,
  /** How much the runs of each user may cost in a calendar day or month in UTC. Runs of other users are not affected. */
  user_budget: UserBudget,
}

type OptionalFields = typeof optionalFields

/** `provider/model-id`, or a bare id with `provider`. */
const model = shortText(200)

// One entry for each field: the mapped types say what Object.fromEntries cannot.
const eachField = (wrap: (schema: z.ZodMiniType) => z.ZodMiniType) =>
  Object.fromEntries(Object.entries(optionalFields).map(([name, schema]) => [name, wrap(schema)]))
const givenFields = eachField(clearable) as {
  [Name in keyof OptionalFields]: Clearable<OptionalFields[Name]>
}
const keptFields = eachField(z.optional) as {
  [Name in keyof OptionalFields]: z.ZodMiniOptional<OptionalFields[Name]>
}

/** A new agent. Without an `id`, the platform creates one. */
export const AgentInput = z.object({ id: orAbsent(Slug), model, ...givenFields })
export type AgentInput = z.infer<typeof AgentInput>

/**
 * A change of an agent. Absent fields keep their value; `null` and the empty string clear it.
 *
 * The agent's own `id` may be included, so that you can send an agent back unchanged. Any other `id` is rejected.
 */
export const AgentPatch = z.object({ id: orAbsent(Slug), model: z.optional(model), ...givenFields })
export type AgentPatch = z.infer<typeof AgentPatch>

/** An agent. */
export const Agent = z.object({
  id: Slug,
  model,
  ...keptFields,
  skills: z.array(SkillName),
  schedule_enabled: z.boolean(),
  /** Version number, starting at 1. Each change of a field adds 1. */
  version: z.int(),
  created_at: z.string(),
  updated_at: z.string(),
})
export type Agent = z.infer<typeof Agent>

/** Fields of an agent that a user-limited caller sees. */
export const summaryFields = ['id', 'name', 'description', 'model', 'skills'] as const

/** An agent as a caller sees it. A user-limited caller receives only the {@link summaryFields}. */
// the type is that of a caller without limits, which most programs are
export const ShownAgent = z.union([
  Agent,
  z.object({
    id: Slug,
    name: Agent.shape.name,
    description: Agent.shape.description,
    model,
    skills: Agent.shape.skills,
  }),
]) as unknown as z.ZodMiniType<Agent, Agent>

/** Change of one field of an agent. */
export const AgentChange = z.object({
  field: z.string(),
  /** Absent if the field was empty. */
  before: z.optional(Json),
  /** Absent if the field was cleared. */
  after: z.optional(Json),
})
export type AgentChange = z.infer<typeof AgentChange>

/** A version of an agent. */
export const AgentVersion = z.object({
  version: z.int(),
  created_at: z.string(),
  /** Caller that created the version. Absent if your own code created it or a person edited the agent's file. */
  actor: z.optional(z.string()),
  /**
   * Fields that differ from the previous version; in version 1, every field with a value. Secrets of the settings are
   * removed.
   */
  changes: z.array(AgentChange),
})
export type AgentVersion = z.infer<typeof AgentVersion>

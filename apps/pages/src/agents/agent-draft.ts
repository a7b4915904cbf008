import type {
  Agent,
  AgentInput,
  AgentPatch,
  Budget,
  CatchUp,
  FallbackModel,
  HostedTool,
  Overlap,
  ReportTarget,
  ApprovalRule,
} from '@homeward/contract/agent-platform'
import {
  emptyUserBudget,
  toUserBudget,
  toUserBudgetDraft,
  toUsers,
  toUsersDraft,
  type UserBudgetDraft,
  type UsersDraft,
} from './users-draft.ts'
import {
  emptyModelSettings,
  type ModelSettingsDraft,
  toModelSettings,
  toModelSettingsDraft,
  jsonTextProblem,
  parseJsonText,
  toJsonText,
} from './model-settings-draft.ts'

/** An agent as its form holds it: every field there is, and what is not chosen is empty. `NaN` is an empty number. */
export interface AgentDraft extends ModelSettingsDraft {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly model: string
  readonly provider: string
  readonly fallback_models: readonly FallbackModel[]
  readonly prompt_cache: NonNullable<Agent['prompt_cache']>
  readonly personality: string
  /** The text of a JSON Schema. */
  readonly output_schema: string
  readonly skills: readonly string[]
  /** Whether only the tools of {@link tools} are offered. */
  readonly narrows_tools: boolean
  readonly tools: readonly string[]
  readonly approval_tools: readonly string[]
  readonly approvals: readonly ApprovalRuleDraft[]
  readonly approval_timeout: number
  readonly wait_timeout: number
  readonly ask_user: boolean
  readonly code: boolean
  readonly while_running: 'queue' | 'steer'
  readonly hosted_tools: readonly HostedTool[]
  readonly mcp_servers: readonly string[]
  readonly collections: readonly string[]
  readonly max_turns: number
  readonly max_tokens: number
  readonly max_runtime: number
  readonly window_tokens: number
  readonly history_tokens: number
  readonly budget_tokens: number
  readonly budget_usd: number
  readonly budget_period: NonNullable<Budget['period']>
  /** In percent. */
  readonly budget_ask_at: number
  readonly user_budget: UserBudgetDraft
  readonly users: UsersDraft
  readonly workspace: NonNullable<Agent['workspace']>
  readonly schedule: string
  readonly schedule_input: string
  readonly schedule_enabled: boolean
  readonly timezone: string
  readonly catch_up: CatchUp
  readonly overlap: Overlap
  /** Chats, each as the name of its channel, `:` and its id there. */
  readonly report_to: readonly string[]
}

/** The form of a new agent. */
export const emptyDraft: AgentDraft = {
  ...emptyModelSettings,
  id: '',
  name: '',
  description: '',
  model: '',
  provider: '',
  fallback_models: [],
  prompt_cache: '5m',
  personality: '',
  output_schema: '',
  skills: [],
  narrows_tools: false,
  tools: [],
  approval_tools: [],
  approvals: [],
  approval_timeout: Number.NaN,
  wait_timeout: Number.NaN,
  ask_user: false,
  code: false,
  while_running: 'queue',
  hosted_tools: [],
  mcp_servers: [],
  collections: [],
  max_turns: Number.NaN,
  max_tokens: Number.NaN,
  max_runtime: Number.NaN,
  window_tokens: Number.NaN,
  history_tokens: Number.NaN,
  budget_tokens: Number.NaN,
  budget_usd: Number.NaN,
  budget_period: 'run',
  budget_ask_at: Number.NaN,
  user_budget: emptyUserBudget,
  users: { who: 'nobody', listed: [] },
  workspace: 'user',
  schedule: '',
  schedule_input: '',
  schedule_enabled: true,
  timezone: '',
  catch_up: 'skip',
  overlap: 'queue',
  report_to: [],
}

/** The form of an agent that is there. */
export function toDraft(agent: Agent): AgentDraft {
  const {
    limits = {},
    context = {},
    budget = {},
    user_budget,
    users,
    tools,
    report_to: reportTo = [],
    model_settings,
    output_schema,
    approvals,
    version: _version,
    created_at: _created,
    updated_at: _updated,
    ...fields
  } = agent
  return {
    ...emptyDraft,
    ...withoutUndefined(fields),
    ...toModelSettingsDraft(model_settings),
    output_schema: toJsonText(output_schema),
    approvals: toRuleDrafts(approvals),
    narrows_tools: tools !== undefined,
    tools: tools ?? [],
    report_to: toChats(reportTo),
    max_turns: limits.max_turns ?? Number.NaN,
    max_tokens: limits.max_tokens ?? Number.NaN,
    max_runtime: limits.max_runtime ?? Number.NaN,
    window_tokens: context.window_tokens ?? Number.NaN,
    history_tokens: context.history_tokens ?? Number.NaN,
    budget_tokens: budget.max_tokens ?? Number.NaN,
    budget_usd: budget.max_usd ?? Number.NaN,
    budget_period: budget.period ?? 'run',
    budget_ask_at: budget.ask_at === undefined ? Number.NaN : toPercent(budget.ask_at),
    user_budget: toUserBudgetDraft(user_budget),
    users: toUsersDraft(users),
  }
}

/**
 * A change that leaves the agent exactly as the form shows it: what is empty is cleared.
 *
 * @throws {Error} if a text is not the JSON object that it has to be: see `draftProblems`
 */
export function toPatch(draft: AgentDraft): AgentPatch {
  const { narrows_tools, tools, id: _id, ...fields } = draft
  const { max_turns, max_tokens, max_runtime, window_tokens, history_tokens, ...others } = fields
  const { budget_tokens, budget_usd, budget_period, budget_ask_at, ...settings } = others
  const { temperature, top_p, top_k, seed, stop, reasoning, provider_options, ...rest } = settings
  return {
    ...rest,
    model_settings: toModelSettings({ temperature, top_p, top_k, seed, stop, reasoning, provider_options }),
    output_schema: parseJsonText(rest.output_schema),
    approvals: toRules(rest.approvals),
    fallback_models: [...rest.fallback_models],
    skills: [...rest.skills],
    tools: narrows_tools ? [...tools] : null,
    approval_tools: orNull(rest.approval_tools),
    approval_timeout: given(rest.approval_timeout),
    wait_timeout: given(rest.wait_timeout),
    ask_user: rest.ask_user || null,
    code: rest.code || null,
    while_running: rest.while_running === 'steer' ? 'steer' : null,
    hosted_tools: orNull(rest.hosted_tools),
    mcp_servers: orNull(rest.mcp_servers),
    collections: orNull(rest.collections),
    report_to: toTargets(rest.report_to),
    // Each of them by itself: limits are merged, and one that is left out would stay.
    limits: {
      max_turns: given(max_turns),
      max_tokens: given(max_tokens),
      max_runtime: given(max_runtime),
    } as NonNullable<AgentPatch['limits']>, // null clears; the schema's output type does not know it
    context: toContext({ window_tokens, history_tokens }),
    budget: toBudget({ budget_tokens, budget_usd, budget_period, budget_ask_at }),
    user_budget: toUserBudget(rest.user_budget),
    users: toUsers(rest.users),
    workspace: rest.workspace === 'agent' ? 'agent' : null,
  }
}

/** A change of what differs alone: what somebody else changed meanwhile stays. */
export function toChangedPatch(draft: AgentDraft, saved: AgentDraft): AgentPatch {
  const before: Readonly<Record<string, unknown>> = toPatch(saved)
  const changed = Object.entries(toPatch(draft)).filter(
    ([key, value]) => JSON.stringify(value) !== JSON.stringify(before[key]),
  )
  return Object.fromEntries(changed) // some of the patch's own entries
}

/** What creates the agent of the form. */
export function toInput(draft: AgentDraft): AgentInput {
  const { limits: _limits, ...patch } = toPatch(draft)
  const { max_turns, max_tokens, max_runtime } = draft
  return {
    ...patch,
    ...(draft.id !== '' && { id: draft.id }),
    model: draft.model,
    limits: withoutEmpty({ max_turns, max_tokens, max_runtime }),
  }
}

/** A form that follows what is saved now, but for the fields that differ from what it was begun with. An id stays once there is one. */
export function rebase(draft: AgentDraft, before: AgentDraft, now: AgentDraft): AgentDraft {
  const begun = new Map<string, unknown>(Object.entries(before))
  const own = Object.entries(draft).filter(
    ([key, value]) => JSON.stringify(value) !== JSON.stringify(begun.get(key)),
  )
  return { ...now, ...Object.fromEntries(own), id: now.id || draft.id } // some of the draft's own entries
}

/** Fields that a form and somebody else have changed since it was begun, each to something else. */
export function clashingFields(
  draft: AgentDraft,
  before: AgentDraft,
  now: AgentDraft,
): readonly (keyof AgentDraft)[] {
  const differs = (name: keyof AgentDraft, a: AgentDraft, b: AgentDraft) =>
    JSON.stringify(a[name]) !== JSON.stringify(b[name])
  const names = Object.keys(emptyDraft) as (keyof AgentDraft)[] // its own keys
  return names.filter(
    (name) => differs(name, draft, before) && differs(name, now, before) && differs(name, draft, now),
  )
}

/** Whether two forms hold the same. */
export function isSameDraft(a: AgentDraft, b: AgentDraft): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

/** Each of them by itself, as for limits. */
function toContext({
  window_tokens,
  history_tokens,
}: Pick<AgentDraft, 'window_tokens' | 'history_tokens'>): NonNullable<AgentInput['context']> | null {
  if (Number.isNaN(window_tokens) && Number.isNaN(history_tokens)) return null
  const context = { window_tokens: given(window_tokens), history_tokens: given(history_tokens) }
  return context as NonNullable<AgentInput['context']> // null clears; the schema's output type does not know it
}

function toBudget(
  draft: Pick<AgentDraft, 'budget_tokens' | 'budget_usd' | 'budget_period' | 'budget_ask_at'>,
): NonNullable<AgentInput['budget']> | null {
  const {
    budget_tokens: max_tokens,
    budget_usd: max_usd,
    budget_period: period,
    budget_ask_at: percent,
  } = draft
  if (Number.isNaN(max_tokens) && Number.isNaN(max_usd)) return null
  return { ...withoutEmpty({ max_tokens, max_usd, ask_at: percent / 100 }), period }
}

/** Of a share: without the digits by which computers miss it. */
const toPercent = (share: number) => Math.round(share * 1_000_000) / 10_000

/** What an agent does not have leaves the empty one of the form. */
function withoutUndefined(fields: Partial<Agent>): Partial<AgentDraft> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) // the same keys
}

const given = (value: number) => (Number.isNaN(value) ? null : value)
const orNull = <T extends string>(values: readonly T[]) => (values.length === 0 ? null : [...values])

function withoutEmpty<T extends Readonly<Record<string, number>>>(values: T): Partial<T> {
  // only entries that are empty are gone
  return Object.fromEntries(Object.entries(values).filter(([, value]) => !Number.isNaN(value))) as Partial<T>
}

/** Chats as texts: `channel_a:42` is the chat `42` of `channel_a`. */
function toChats(targets: readonly ReportTarget[]): string[] {
  return targets.map(({ channel, conversation_id: id }) =>
    id.startsWith(`${channel}:`) ? id : `${channel}:${id}`,
  )
}

/** The chats of texts. @returns null for none */
function toTargets(chats: readonly string[]): ReportTarget[] | null {
  if (chats.length === 0) return null
  return chats.map((chat) => {
    const end = chat.indexOf(':')
    return { channel: chat.slice(0, Math.max(end, 0)), conversation_id: chat.slice(end + 1) }
  })
}

/** A rule about calls of one tool, as the form holds it. */
export interface ApprovalRuleDraft {
  readonly tool: string
  readonly decision: ApprovalRule['decision']
  /** The text of a JSON Schema. Empty: all arguments. */
  readonly when: string
}

/** Largest number of rules of an agent. */
export const maxApprovalRules = 100

/** The form of an agent's rules. */
function toRuleDrafts(rules: readonly ApprovalRule[] = []): ApprovalRuleDraft[] {
  return rules.map(({ tool, decision, when }) => ({ tool, decision, when: toJsonText(when) }))
}

/** The rules of a form. @returns null for none */
function toRules(drafts: readonly ApprovalRuleDraft[]): ApprovalRule[] | null {
  if (drafts.length === 0) return null
  return drafts.map(({ tool, decision, when: text }) => {
    const when = parseJsonText(text)
    return { tool: tool.trim(), decision, ...(when && { when }) }
  })
}

/** What is wrong with the rules of a form, by the name of the field in the interface. */
export function ruleProblems(drafts: readonly ApprovalRuleDraft[]): Record<string, string> {
  const problems: Record<string, string> = {}
  for (const [index, { tool, when }] of drafts.entries()) {
    if (tool.trim() === '')
      problems[`approvals[${index}].tool`] = 'Name the tool of this rule, or remove the rule.'
    const problem = jsonTextProblem(when)
    if (problem !== undefined) problems[`approvals[${index}].when`] = problem
  }
  return problems
}

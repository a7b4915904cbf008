import type {
  Agent,
  ChannelId,
  ChannelSender,
  RememberedApproval,
  Run,
  UsageSum,
} from '@homeward/contract/agent-platform'
import { formatCount } from '../components/text/to-shown-text.ts'
import { channelNames } from '../settings/setting-texts.ts'
import { formatUsd } from '../usage/format-usage.ts'

/** Input of the request for the senders of each channel. */
export const everyChannel = Object.keys(channelNames).map((channel) => ({
  params: { channel: channel as ChannelId }, // a key of the table
}))

/** Tokens and cost of the model calls of one user in a period. */
interface UserUsage {
  readonly calls: number
  readonly inputTokens: number
  readonly outputTokens: number
  /** Undefined when no model has a price. */
  readonly costUsd: number | undefined
}

/** A user of an agent, and when the user's latest run was created. */
export interface AgentUser extends UserUsage {
  readonly id: string
  /** Names in messengers. */
  readonly names: readonly string[]
  /** Undefined without a run in the list. */
  readonly lastRunAt: string | undefined
}

/** Where the ids of users come from. */
interface AgentUserSources {
  readonly usage: readonly UsageSum[]
  /** Newest first. */
  readonly runs: readonly Pick<Run, 'user_id' | 'created_at'>[]
  readonly approvals: readonly Pick<RememberedApproval, 'user_id'>[]
  /** They give names only: a sender is not tied to an agent. */
  readonly senders: readonly Pick<ChannelSender, 'user_id' | 'name'>[]
}

/** The calendar day or month that the budget of each user is for. Without a budget, this month is shown. */
export function periodOfUsers({ user_budget: budget }: Pick<Agent, 'user_budget'>): 'day' | 'month' {
  return budget === undefined ? 'month' : (budget.period ?? 'day')
}

/** Sums up the usage of one user. */
export function toUserUsage(usage: readonly UsageSum[], userId: string): UserUsage {
  const own = usage.filter(({ user_id }) => user_id === userId)
  const sum = (value: (each: UsageSum) => number) => own.reduce((total, each) => total + value(each), 0)
  return {
    calls: sum(({ calls }) => calls),
    inputTokens: sum(({ input_tokens }) => input_tokens),
    outputTokens: sum(({ output_tokens }) => output_tokens),
    costUsd: own.some(({ cost_usd }) => cost_usd !== undefined)
      ? sum(({ cost_usd = 0 }) => cost_usd)
      : undefined,
  }
}

/** The users of an agent, those with the most tokens first, then by id. Runs without a user are left out. */
export function toAgentUsers({ usage, runs, approvals, senders }: AgentUserSources): readonly AgentUser[] {
  const ids = new Set([...usage, ...runs, ...approvals].flatMap(({ user_id }) => user_id ?? []))
  return [...ids]
    .map((id) => ({
      id,
      ...toUserUsage(usage, id),
      names: senders.flatMap(({ user_id, name }) => (user_id === id && name !== undefined ? [name] : [])),
      lastRunAt: runs.find(({ user_id }) => user_id === id)?.created_at,
    }))
    .toSorted((a, b) => tokensOf(b) - tokensOf(a) || (a.id < b.id ? -1 : 1))
}

/** All tokens, as budgets count them. */
export const tokensOf = ({ inputTokens, outputTokens }: UserUsage): number => inputTokens + outputTokens

/** The rest of a user's budget as text. Undefined without a budget. */
export function leftOf({ user_budget: budget }: Pick<Agent, 'user_budget'>, used: UserUsage) {
  const { max_tokens: maxTokens, max_usd: maxUsd } = budget ?? {}
  const parts = [
    ...(maxTokens === undefined
      ? []
      : [`${formatCount(Math.max(0, maxTokens - tokensOf(used)))} of ${formatCount(maxTokens)} tokens`]),
    ...(maxUsd === undefined
      ? []
      : [`${formatUsd(Math.max(0, maxUsd - (used.costUsd ?? 0)))} of ${formatUsd(maxUsd)}`]),
  ]
  return parts.length === 0 ? undefined : parts.join(', ')
}

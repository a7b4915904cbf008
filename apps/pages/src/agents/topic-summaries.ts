import { describeCron } from '../components/schedule/rhythm.ts'
import { formatCount } from '../components/text/to-shown-text.ts'
import type { AgentDraft } from './agent-draft.ts'

/** What is chosen in the parts of an agent's form. A part without choices says so. */
export type TopicSummaries = Readonly<
  Partial<Record<'tools' | 'model' | 'limits' | 'users' | 'schedule', string>>
>

const mostNamed = 6

/** One line for each part of an agent's form. */
export function topicSummaries(draft: AgentDraft): TopicSummaries {
  return {
    tools: toolsOf(draft),
    model: modelOf(draft),
    limits: limitsOf(draft),
    users: usersOf(draft),
    schedule: draft.schedule.trim() === '' ? 'only on request' : describeCron(draft.schedule),
  }
}

function toolsOf(draft: AgentDraft): string {
  const names = [
    ...draft.skills,
    ...(draft.narrows_tools ? draft.tools : []),
    ...draft.mcp_servers,
    ...draft.collections,
  ]
  const approvals = draft.approval_tools.length + draft.approvals.length
  const rest = names.length > mostNamed ? ` and ${names.length - mostNamed} more` : ''
  const named = names.length === 0 ? 'none chosen' : `${names.slice(0, mostNamed).join(', ')}${rest}`
  return approvals === 0 ? named : `${named}; a person approves some calls`
}

function modelOf({ temperature, reasoning, output_schema, fallback_models }: AgentDraft): string {
  const parts = [
    ...(Number.isNaN(temperature) ? [] : [`temperature ${temperature}`]),
    ...(reasoning === 'default' ? [] : [`reasoning ${reasoning}`]),
    ...(output_schema.trim() === '' ? [] : ['structured output']),
    ...(fallback_models.length === 0 ? [] : ['fallback models']),
  ]
  return parts.length === 0 ? 'usual' : parts.join(', ')
}

function limitsOf({ max_turns, budget_tokens, budget_usd, budget_period: period }: AgentDraft): string {
  const parts = [
    ...(Number.isNaN(max_turns) ? [] : [`${formatCount(max_turns)} turns`]),
    ...(Number.isNaN(budget_tokens) ? [] : [`${formatCount(budget_tokens)} tokens a ${period}`]),
    ...(Number.isNaN(budget_usd) ? [] : [`US$${budget_usd} a ${period}`]),
  ]
  return parts.length === 0 ? 'usual' : parts.join(', ')
}

function usersOf({ users: { who, listed } }: AgentDraft): string {
  if (who === 'listed') return listed.length === 1 ? '1 person' : `${listed.length} people`
  return who === 'everyone' ? 'everyone who signs in' : 'administrators only'
}

import type { Agent } from '@homeward/contract/agent-platform'

/** Form value of `users`: who may use an agent on the pages. */
export interface UsersDraft {
  readonly who: 'nobody' | 'listed' | 'everyone'
  /** Subjects and e-mail addresses. */
  readonly listed: readonly string[]
}

/** The form of the field `users`. */
export function toUsersDraft(users: Agent['users']): UsersDraft {
  if (users === undefined) return { who: 'nobody', listed: [] }
  return users === 'everyone' ? { who: 'everyone', listed: [] } : { who: 'listed', listed: users }
}

/** The field of a form. @returns null for nobody */
export function toUsers({ who, listed }: UsersDraft): NonNullable<Agent['users']> | null {
  if (who === 'everyone') return 'everyone'
  return who === 'nobody' || listed.length === 0 ? null : [...listed]
}

type UserBudget = NonNullable<Agent['user_budget']>

/** Form value of `user_budget`. `NaN` is an empty number. */
export interface UserBudgetDraft {
  readonly max_tokens: number
  readonly max_usd: number
  readonly period: NonNullable<UserBudget['period']>
  /** Share of the budget. */
  readonly ask_at: number
}

/** No budget. */
export const emptyUserBudget: UserBudgetDraft = {
  max_tokens: Number.NaN,
  max_usd: Number.NaN,
  period: 'day',
  ask_at: Number.NaN,
}

/** The form of the field `user_budget`. */
export function toUserBudgetDraft(budget: Agent['user_budget']): UserBudgetDraft {
  const given = Object.entries(budget ?? {}).filter(([, value]) => value !== undefined)
  return { ...emptyUserBudget, ...Object.fromEntries(given) } // the same keys
}

/** The field of a form. @returns null for none */
export function toUserBudget(draft: UserBudgetDraft): UserBudget | null {
  const { max_tokens, max_usd, ask_at, ...others } = draft
  if (Number.isNaN(max_tokens) && Number.isNaN(max_usd)) return null
  const numbers = Object.entries({ max_tokens, max_usd, ask_at }).filter(([, value]) => !Number.isNaN(value))
  return { ...Object.fromEntries(numbers), ...others } // only those that are there
}

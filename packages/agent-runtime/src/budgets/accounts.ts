import type { Budget } from '@homeward/contract/agent-platform'
import type { BudgetAccount } from '../store/ports/budget-store.ts'

/** Whose budget it is. */
interface BudgetSubject {
  readonly kind: 'agent' | 'graph'
  readonly id: string
  /** Present if it is the budget of one user of the agent. */
  readonly userId?: string
}

/**
 * The account of a budget for a run that starts now: of the run itself, or of all runs of the subject in a calendar day
 * or month in UTC.
 *
 * @returns none without a budget, or for one that sets no limit.
 */
export function accountsOf(
  subject: BudgetSubject,
  budget: Budget | undefined,
  runId: string,
  nowMs: number,
): BudgetAccount[] {
  const { max_tokens: maxTokens, max_usd: maxUsd, period = 'run', ask_at: askAt } = budget ?? {}
  if (maxTokens === undefined && maxUsd === undefined) return []
  const day = new Date(nowMs).toISOString().slice(0, 10)
  const when = period === 'day' ? day : day.slice(0, 7)
  const { kind, id, userId } = subject
  const whose = userId === undefined ? `${kind}:${id}` : `${kind}:${id}:user:${userId}`
  return [
    {
      key: period === 'run' ? `run:${runId}` : `${whose}:${when}`,
      ...(maxTokens !== undefined && { maxTokens }),
      ...(maxUsd !== undefined && { maxMicroUsd: Math.floor(maxUsd * 1_000_000) }),
      ...(askAt !== undefined && { askAt }),
    },
  ]
}

/** All of these accounts, each once: of two limits on one account the lower counts. */
export function mergeAccounts(...lists: readonly (readonly BudgetAccount[])[]): BudgetAccount[] {
  const merged = new Map<string, BudgetAccount>()
  for (const account of lists.flat()) {
    const known = merged.get(account.key)
    const maxTokens = lower(known?.maxTokens, account.maxTokens)
    const maxMicroUsd = lower(known?.maxMicroUsd, account.maxMicroUsd)
    const askAt = lower(known?.askAt, account.askAt)
    merged.set(account.key, {
      key: account.key,
      ...(maxTokens !== undefined && { maxTokens }),
      ...(maxMicroUsd !== undefined && { maxMicroUsd }),
      ...(askAt !== undefined && { askAt }),
    })
  }
  return [...merged.values()]
}

const lower = (a: number | undefined, b: number | undefined) =>
  a === undefined || b === undefined ? (a ?? b) : Math.min(a, b)

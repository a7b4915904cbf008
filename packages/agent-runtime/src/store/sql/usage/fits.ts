import type { BudgetAccount, BudgetBalance } from '../../ports/budget-store.ts'

/** Whether an account has enough left for a call. */
export function fits(
  { maxTokens = Infinity, maxMicroUsd = Infinity }: BudgetAccount,
  balance: BudgetBalance,
  more: BudgetBalance,
): boolean {
  return balance.tokens + more.tokens <= maxTokens && balance.microUsd + more.microUsd <= maxMicroUsd
}

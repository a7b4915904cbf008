import type { BudgetBalance, BudgetReservation, BudgetStore } from '../store/ports/budget-store.ts'
import { fits } from '../budgets/fits.ts'
import type { NewRun } from '../store/ports/run-store.ts'
import type { Tables } from './tables.ts'

interface ReservationRecord {
  readonly keys: readonly string[]
  readonly reserved: BudgetBalance
  isSettled: boolean
}

/** What was drawn from accounts, and by which calls. */
export interface BudgetRecords {
  readonly accounts: Map<string, BudgetBalance>
  readonly reservations: Map<string, ReservationRecord>
  /** Ids of reservations by what they begin with: those of a run are together. */
  readonly byRun: Map<string, Set<string>>
}

/** Empty records. */
export function createBudgetRecords(): BudgetRecords {
  return { accounts: new Map(), reservations: new Map(), byRun: new Map() }
}

/** {@link BudgetStore.reserveBudget}, in memory. */
export function reserveBudget(
  tables: Tables,
  reservation: BudgetReservation,
): Awaited<ReturnType<BudgetStore['reserveBudget']>> {
  const { id, accounts, tokens, microUsd } = reservation
  if (tables.budgets.reservations.has(id)) return { outcome: 'reserved' }
  for (const account of accounts) {
    const balance = readBudget(tables, account.key)
    if (!fits(account, balance, reservation)) return { outcome: 'refused', key: account.key, balance }
  }
  const keys = [...new Set(accounts.map(({ key }) => key))]
  const reserved = { tokens, microUsd }
  tables.budgets.reservations.set(id, { keys, reserved, isSettled: false })
  const ofRun = tables.budgets.byRun.get(beginningOf(id))
  if (ofRun) ofRun.add(id)
  else tables.budgets.byRun.set(beginningOf(id), new Set([id]))
  draw(tables, keys, reserved)
  return { outcome: 'reserved' }
}

/** {@link BudgetStore.settleBudget}, in memory. */
export function settleBudget(
  tables: Tables,
  settlement: { readonly id: string; readonly tokens: number; readonly microUsd: number },
): void {
  const reservation = tables.budgets.reservations.get(settlement.id)
  if (reservation === undefined || reservation.isSettled) return
  reservation.isSettled = true
  const { keys, reserved } = reservation
  const tokens = settlement.tokens - reserved.tokens
  draw(tables, keys, { tokens, microUsd: settlement.microUsd - reserved.microUsd })
}

/** {@link BudgetStore.readBudget}, in memory. */
export function readBudget(tables: Tables, key: string): BudgetBalance {
  return tables.budgets.accounts.get(key) ?? { tokens: 0, microUsd: 0 }
}

/**
 * Forgets what the calls of a run drew, and its own account, unless a run that it started goes on. The account of one
 * that is forgotten goes with the last run that it started.
 */
export function forgetRunBudget(tables: Tables, { id: runId, parentRunId }: NewRun): void {
  const { budgets, runs } = tables
  forgetAccount(tables, runId)
  if (parentRunId !== undefined && !runs.has(parentRunId)) forgetAccount(tables, parentRunId)
  const ofRun = budgets.byRun.get(beginningOf(runId))
  for (const id of ofRun ?? []) {
    if (!id.startsWith(`${runId}:`)) continue
    budgets.reservations.delete(id)
    ofRun?.delete(id)
  }
  if (ofRun?.size === 0) budgets.byRun.delete(beginningOf(runId))
}

function forgetAccount({ budgets, openChildren }: Tables, runId: string): void {
  if (!openChildren.has(runId)) budgets.accounts.delete(`run:${runId}`)
}

/** Forgets the accounts of days and months that were over before a time. */
export function forgetPeriods({ budgets }: Tables, before: string): void {
  for (const key of budgets.accounts.keys()) {
    const [, period] = /:(\d{4}-\d\d(?:-\d\d)?)$/.exec(key) ?? []
    if (period !== undefined && !key.startsWith('run:') && period < before.slice(0, period.length)) {
      budgets.accounts.delete(key)
    }
  }
}

const beginningOf = (id: string) => id.split(':', 1)[0] ?? id

function draw(tables: Tables, keys: readonly string[], more: BudgetBalance): void {
  for (const key of keys) {
    const { tokens, microUsd } = readBudget(tables, key)
    tables.budgets.accounts.set(key, { tokens: tokens + more.tokens, microUsd: microUsd + more.microUsd })
  }
}

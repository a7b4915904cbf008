import type { Compilable, Kysely } from 'kysely'
import type { RuntimeTables } from '../schema.ts'

/** What was drawn from accounts, with what is reserved. */
export interface BudgetAccountsTable {
  key: string
  tokens: number
  micro_usd: number
}

/** What model calls draw from accounts. */
export interface BudgetReservationsTable {
  id: string
  /** JSON: keys of the accounts. */
  accounts: string
  /** Reserved, or used once it is settled. */
  tokens: number
  micro_usd: number
  /** 1 once it is known what the call did cost, else 0. */
  settled: number
}

/** Tables of budgets. */
export interface BudgetTables {
  budget_accounts: BudgetAccountsTable
  budget_reservations: BudgetReservationsTable
}

/** Makes the tables of budgets. */
export function buildBudgetTables({ schema }: Kysely<RuntimeTables>): readonly Compilable[] {
  return [
    schema
      .createTable('budget_accounts')
      .addColumn('key', 'text', (column) => column.primaryKey())
      .addColumn('tokens', 'bigint', (column) => column.notNull())
      .addColumn('micro_usd', 'bigint', (column) => column.notNull()),
    schema
      .createTable('budget_reservations')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('accounts', 'text', (column) => column.notNull())
      .addColumn('tokens', 'bigint', (column) => column.notNull())
      .addColumn('micro_usd', 'bigint', (column) => column.notNull())
      .addColumn('settled', 'integer', (column) => column.notNull()),
  ]
}

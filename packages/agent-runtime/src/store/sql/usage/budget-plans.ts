import { type Kysely, sql } from 'kysely'
import { buildOnce, change, compileStatement, each, first } from '@homeward/kit/sql'
import type { BudgetBalance, BudgetReservation, BudgetAccount } from '../../ports/budget-store.ts'
import type { BudgetAccountsTable, BudgetReservationsTable } from './budget-tables.ts'
import { fromJson } from '../json.ts'
import type { Plan } from '../plan.ts'
import type { RuntimeTables } from '../schema.ts'

/** What came of a reservation. */
type ReserveOutcome =
  | { readonly outcome: 'reserved' }
  | { readonly outcome: 'refused'; readonly key: string; readonly balance: BudgetBalance }

/** A run whose steps go, or all of it. */
export interface PrunedRun {
  readonly id: string
  readonly parentId: string | null
}

interface RunAccount {
  id: string
  key: string
  allowed: string
}

const toRunAccount = (id: string): RunAccount => ({ id, key: `run:${id}`, allowed: `run:${id}:continue` })

/** Most accounts of days and months that one write removes. */
const prunedAtOnce = 256

/** The verbs of `BudgetStore` as plans: two statements for a call, and two more for each account. */
export function createBudgetPlans(db: Kysely<RuntimeTables>) {
  const statements = buildOnce(db, createBudgetStatements)

  function* readBudget(key: string): Plan<BudgetBalance> {
    return (yield* first(statements.balance, { key })) ?? nothing
  }

  return {
    readBudget,

    *reserveBudget(reservation: BudgetReservation): Plan<ReserveOutcome> {
      const { id, accounts, tokens, microUsd } = reservation
      if ((yield* first(statements.find, { id })) !== undefined) return { outcome: 'reserved' }
      for (const account of accounts) {
        const balance = yield* readBudget(account.key)
        if (!fits(account, balance, reservation)) return { outcome: 'refused', key: account.key, balance }
      }
      const keys = [...new Set(accounts.map(({ key }) => key))]
      const row = { id, accounts: JSON.stringify(keys), tokens, micro_usd: microUsd, settled: 0 }
      yield* change(statements.insert, row)
      yield* each(
        statements.draw,
        keys.map((key) => ({ key, tokens, micro_usd: microUsd })),
      )
      return { outcome: 'reserved' }
    },

    *settleBudget(settlement: { id: string; tokens: number; microUsd: number }): Plan<void> {
      const { id, tokens, microUsd } = settlement
      const reserved = yield* first(statements.find, { id })
      if (reserved === undefined || reserved.settled === 1) return
      yield* change(statements.settle, { id, tokens, micro_usd: microUsd })
      const more = { tokens: tokens - reserved.tokens, micro_usd: microUsd - reserved.micro_usd }
      yield* each(
        statements.draw,
        fromJson<string[]>(reserved.accounts).map((key) => ({ key, ...more })),
      )
    },

    /**
     * Removes what the calls of runs drew, and the accounts of these runs, unless a run that they started goes on. The
     * account of one that was pruned before goes with the last run that it started.
     */
    *pruneRunBudgets(runs: readonly PrunedRun[]): Plan<void> {
      // The sign behind ":" ends the range of all ids that begin with the run's.
      const ranges = runs.map(({ id }) => ({ from: `${id}:`, to: `${id};` }))
      yield* each(statements.deleteReservations, ranges)
      yield* each(
        statements.deleteRunAccount,
        runs.map(({ id }) => toRunAccount(id)),
      )
      const parents = new Set(runs.flatMap(({ parentId }) => parentId ?? []))
      yield* each(statements.deletePrunedAccount, [...parents].map(toRunAccount))
    },

    /** Removes the accounts of days and months that were over before a time. @returns whether there may be more. */
    *prunePeriods(before: string): Plan<boolean> {
      const [day, month] = [before.slice(0, 10), before.slice(0, 7)]
      const removed = yield* change(statements.deletePeriods, { day, month })
      return removed === prunedAtOnce
    },
  }
}

/** See {@link createBudgetPlans}. */
export type BudgetPlans = ReturnType<typeof createBudgetPlans>

const nothing: BudgetBalance = { tokens: 0, microUsd: 0 }

function createBudgetStatements(db: Kysely<RuntimeTables>) {
  return {
    balance: compileStatement<{ key: string }, BudgetBalance>('read', ({ key }) =>
      db.selectFrom('budget_accounts').select(['tokens', 'micro_usd as microUsd']).where('key', '=', key),
    ),
    find: compileStatement<{ id: string }, BudgetReservationsTable>('read', ({ id }) =>
      db.selectFrom('budget_reservations').selectAll().where('id', '=', id),
    ),
    insert: compileStatement<BudgetReservationsTable, unknown>('write', (row) =>
      db.insertInto('budget_reservations').values({
        id: row.id,
        accounts: row.accounts,
        tokens: row.tokens,
        micro_usd: row.micro_usd,
        settled: row.settled,
      }),
    ),
    draw: compileStatement<BudgetAccountsTable, unknown>('write', ({ key, tokens, micro_usd }) =>
      db
        .insertInto('budget_accounts')
        .values({ key, tokens, micro_usd })
        .onConflict((conflict) =>
          conflict.column('key').doUpdateSet({
            tokens: sql<number>`budget_accounts.tokens + excluded.tokens`,
            micro_usd: sql<number>`budget_accounts.micro_usd + excluded.micro_usd`,
          }),
        ),
    ),
    deleteReservations: compileStatement<{ from: string; to: string }, unknown>('write', ({ from, to }) =>
      db.deleteFrom('budget_reservations').where('id', '>=', from).where('id', '<', to),
    ),
    deleteRunAccount: compileStatement<RunAccount, unknown>('write', (args) => deleteRunAccount(db, args)),
    /** Of a run that is gone, or whose steps are. */
    deletePrunedAccount: compileStatement<RunAccount, unknown>('write', (args) =>
      deleteRunAccount(db, args).where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('runs')
              .select('seq')
              .where('id', '=', args.id)
              .where((run) => run.or([run('finished_at', 'is', null), run('has_steps', '=', sql.lit(1))])),
          ),
        ),
      ),
    ),
    deletePeriods: compileStatement<{ day: string; month: string }, unknown>('write', ({ day, month }) =>
      db.deleteFrom('budget_accounts').where(
        'key',
        'in',
        // Accounts of runs are passed over by the index: there may be very many.
        sql<string>`(select key from budget_accounts where (key < 'run:' or key >= 'run;') and (
            (key like '%:____-__-__' and substr(key, length(key) - 9) < ${day})
            or (key like '%:____-__' and substr(key, length(key) - 6) < ${month})) limit ${sql.lit(prunedAtOnce)})`,
      ),
    ),
    settle: compileStatement<{ id: string; tokens: number; micro_usd: number }, unknown>(
      'write',
      ({ id, tokens, micro_usd }) =>
        db
          .updateTable('budget_reservations')
          .set({ tokens, micro_usd, settled: sql.lit(1) })
          .where('id', '=', id),
    ),
  }
}

/** Removes the account of a run none of whose children goes on, and what a person has allowed for it. */
function deleteRunAccount(db: Kysely<RuntimeTables>, { id, key, allowed }: RunAccount) {
  return db
    .deleteFrom('budget_accounts')
    .where('key', 'in', [key, allowed])
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('runs').select('seq').where('parent_run_id', '=', id).where('finished_at', 'is', null),
        ),
      ),
    )
}

/** Whether an account has enough left for a call. */
function fits(
  { maxTokens = Infinity, maxMicroUsd = Infinity }: BudgetAccount,
  balance: BudgetBalance,
  more: BudgetBalance,
): boolean {
  return balance.tokens + more.tokens <= maxTokens && balance.microUsd + more.microUsd <= maxMicroUsd
}

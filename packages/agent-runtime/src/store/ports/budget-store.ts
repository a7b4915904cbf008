/** Something that several model calls share a budget of: a run with all runs it starts, or an agent's day. */
export interface BudgetAccount {
  /** Key such as `run:<id>` or `agent:<id>:2026-11-21`. */
  readonly key: string
  /** Maximum number of input and output tokens together. */
  readonly maxTokens?: number
  /** Maximum cost in millionths of a US dollar. */
  readonly maxMicroUsd?: number
  /** Share of the budget, from 0 to 1, at which a person is asked. */
  readonly askAt?: number
}

/** Maximum cost of a model call. */
export interface BudgetReservation {
  /** Unique id of this call, which stays the same if the call is repeated after a crash. */
  readonly id: string
  /** Accounts to charge. The amount must fit into each of them. */
  readonly accounts: readonly BudgetAccount[]
  readonly tokens: number
  readonly microUsd: number
}

/** Amount used of an account, including reservations. */
export interface BudgetBalance {
  readonly tokens: number
  readonly microUsd: number
}

/** Store of budgets. Implementations must pass `budgetStoreConformance`. */
export interface BudgetStore {
  /**
   * Reserves the amount on all accounts, or on none. An existing or settled reservation is granted again and counts
   * once.
   *
   * @returns `refused` with the account whose budget is too small.
   */
  reserveBudget(
    reservation: BudgetReservation,
    signal?: AbortSignal,
  ): Promise<
    | { readonly outcome: 'reserved' }
    | { readonly outcome: 'refused'; readonly key: string; readonly balance: BudgetBalance }
  >
  /** Replaces a reservation by the actual cost of the call. Can be repeated; unknown ids are ignored. */
  settleBudget(
    settlement: { readonly id: string; readonly tokens: number; readonly microUsd: number },
    signal?: AbortSignal,
  ): Promise<void>
  /** Returns the balance of an account; zero if unused. */
  readBudget(key: string, signal?: AbortSignal): Promise<BudgetBalance>
}
